// Package outbox writes business rows and what follows from them in one transaction:
// the jobs to be run and the events to be published. Either all of it is there or
// none: there is no recipe that no index hears of, and no event of a recipe that was
// never saved. The relay publishes what the transaction wrote.
//
//	err := box.Transact(ctx,
//		outbox.Write(store.Write{Op: store.Put, Table: "recipes", Item: recipe}),
//		outbox.Enqueue(Thumbnail.With(…)),
//		outbox.Publish(RecipePublished.With("recipe/17", …)),
//	)
//
// A handler that ends its job with worker.Commit takes the same actions: see
// Outbox.Writes.
package outbox
