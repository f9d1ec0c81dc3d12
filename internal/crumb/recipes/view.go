package recipes

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A View is a recipe as a reader sees it.
type View struct {
	Recipe
	// TotalMinutes is a sum: it is done here, and not by a queue.
	TotalMinutes int    `json:"total_minutes"`
	Rating       Rating `json:"rating"`
	// Saved tells whether the reader keeps it.
	Saved bool   `json:"saved"`
	Photo *Photo `json:"photo,omitempty"`
	// Progress is how far its publication is; its author alone sees it.
	Progress *Progress `json:"progress,omitempty"`
}

// View gives a recipe as a reader sees it; "" is somebody who is not signed in.
// ErrNotFound is also for what they may not see.
func (s *Recipes) View(ctx context.Context, reader, id string) (View, error) {
	recipe, err := s.visible(ctx, reader, id)
	if err != nil {
		return View{}, err
	}
	return s.viewOf(ctx, reader, recipe)
}

func (s *Recipes) viewOf(ctx context.Context, reader string, recipe Recipe) (v View, err error) {
	v = View{Recipe: recipe, TotalMinutes: recipe.TotalMinutes()}
	if v.Rating, err = s.ratingOf(ctx, reader, recipe.ID); err != nil {
		return View{}, err
	}
	if v.Photo, err = s.photoOf(ctx, recipe); err != nil {
		return View{}, err
	}
	if reader != recipe.Author {
		v.hideJob()
	}
	if s.Saved != nil && reader != "" {
		if v.Saved, err = s.Saved(ctx, reader, recipe.ID); err != nil {
			return View{}, err
		}
	}
	if reader == recipe.Author && recipe.State != Draft {
		progress, err := ProgressOf(ctx, s.Table, recipe)
		if err != nil {
			return View{}, err
		}
		v.Progress = &progress
	}
	return v, nil
}

// hideJob leaves out which job resizes the photo: who knows a job's id may cancel it.
func (v *View) hideJob() {
	v.PhotoJob = ""
	if v.Photo != nil {
		v.Photo.StatusURL = ""
	}
}

// A Profile is a cook and their recipes.
type Profile struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Followers int    `json:"followers"`
	// Following tells whether the reader who looks follows them.
	Following bool    `json:"following"`
	Recipes   []Entry `json:"recipes"`
	Next      string  `json:"next"`
	// Unpublished are drafts and held recipes; their author alone sees them, on the
	// first page.
	Unpublished []Card `json:"unpublished,omitempty"`
	// UnpublishedNext continues them, at GET /api/me/recipes.
	UnpublishedNext string `json:"unpublished_next,omitempty"`
}

// An Entry is a card, for its author with how far its publication is.
type Entry struct {
	Card
	Progress *Progress `json:"progress,omitempty"`
}

const (
	// fresh is how long a publication is shown with its progress on the profile,
	// and freshest of how many.
	fresh    = time.Hour
	freshest = 5
)

// Profile shows a cook to a reader. A recipe is on it from the moment that it is
// published, before anybody else has heard of it.
func (s *Recipes) Profile(ctx context.Context, reader, cook, after string) (Profile, error) {
	account, err := s.Readers.Get(ctx, cook)
	if err != nil {
		return Profile{}, err
	}
	p := Profile{ID: account.ID, Name: account.Name, Recipes: []Entry{}}
	if p.Followers, err = s.Readers.Followers(ctx, cook); err != nil {
		return Profile{}, err
	}
	cards, err := s.By(ctx, cook, after)
	if err != nil {
		return Profile{}, err
	}
	for _, card := range cards.Recipes {
		p.Recipes = append(p.Recipes, Entry{Card: card})
	}
	p.Next = cards.Next
	if reader == cook {
		return p, s.ownProfile(ctx, &p, after == "")
	}
	if reader != "" {
		p.Following, err = s.Readers.Follows(ctx, reader, cook)
	}
	return p, err
}

// ownProfile adds what only the cook sees.
func (s *Recipes) ownProfile(ctx context.Context, p *Profile, first bool) error {
	if !first {
		return nil
	}
	for i := range p.Recipes[:min(freshest, len(p.Recipes))] {
		entry := &p.Recipes[i]
		if s.Now().Sub(entry.PublishedAt) > fresh {
			break
		}
		recipe, err := Read(ctx, s.Table, entry.ID)
		if errors.Is(err, ErrNotFound) {
			continue // deleted between
		}
		if err != nil {
			return fmt.Errorf("recipes: showing %s to its author: %w", entry.ID, err)
		}
		progress, err := ProgressOf(ctx, s.Table, recipe)
		if err != nil {
			return err
		}
		entry.Progress = &progress
	}
	cards, err := s.Unpublished(ctx, p.ID, "")
	p.Unpublished, p.UnpublishedNext = cards.Recipes, cards.Next
	return err
}
