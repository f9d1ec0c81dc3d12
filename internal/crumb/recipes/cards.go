package recipes

import "github.com/nightshift-go/nightshift/internal/crumb/rows"

// show adds the cards of a recipe to changes: those of the lists in which its state
// has it.
func (r Recipe) show(c *rows.Changes) *rows.Changes {
	if r.State != Published {
		return c.Put(UnpublishedKey(r), r.Card(), "", nil)
	}
	return c.Put(AuthorKey(r), r.Card(), "", nil).Put(RecentKey(r), r.Card(), "", nil)
}

// hide adds to changes that the cards of a recipe are taken from these lists.
func (r Recipe) hide(c *rows.Changes) *rows.Changes {
	if r.State != Published {
		return c.Delete(UnpublishedKey(r), "", nil)
	}
	return c.Delete(AuthorKey(r), "", nil).Delete(RecentKey(r), "", nil)
}

// Hold adds to changes that a published recipe is spam: from then on its author
// alone sees it. The condition fails where the recipe was changed since it was
// read: what was judged is not what is there.
func Hold(c *rows.Changes, r Recipe) *rows.Changes { return r.become(c, Published, Held) }

// Release adds to changes that a held recipe is no spam after all.
func Release(c *rows.Changes, r Recipe) *rows.Changes { return r.become(c, Held, Published) }

// become changes the state alone. The version stays: it counts the author's
// changes, who may have one in hand.
func (r Recipe) become(c *rows.Changes, from, to State) *rows.Changes {
	r.State = from
	r.hide(c)
	r.State = to
	r.show(c)
	// The recipe as it was read. A lost race means that it was edited, deleted, or
	// judged already.
	return c.Update(Key(r.ID), "SET #state = :to ADD #turns :one", "#version = :version AND #state = :from",
		rows.Values{":to": to, ":from": from, ":version": r.Version, ":one": 1})
}
