package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// dishes are what recipes are of.
var dishes = []string{"Soup", "Stew", "Bread", "Cake", "Curry", "Salad", "Dumplings", "Pie", "Noodles", "Risotto"}

// things are what is in them.
var things = []string{"onion", "lentil", "pumpkin", "apple", "tomato", "walnut", "spinach", "potato", "lemon", "mushroom"}

func pick(list []string, draw uint64) string { return list[draw%uint64(len(list))] }

// perform does what an act says. Who did not get in does nothing.
func (c *crowd) perform(ctx context.Context, a act) error {
	if a.kind == "newsletter" {
		return c.newsletter(ctx, a.at)
	}
	if a.kind == "join" {
		return c.join(ctx, a.who)
	}
	p, ok := c.people[a.who]
	if !ok {
		return nil
	}
	switch a.kind {
	case "publish", "draft", "photo":
		return c.write(ctx, p, a)
	case "search":
		return c.send(ctx, p, "GET", "/api/search?q="+query(pick(things, a.draw)+" "+pick(dishes, a.draw>>8)), nil, nil)
	case "follow":
		return c.follow(ctx, p, a)
	case "export":
		return c.send(ctx, p, "POST", "/exports", nil, nil)
	case "import":
		return c.bring(ctx, p, a)
	case "forget":
		return c.send(ctx, p, "POST", "/api/password-resets", map[string]string{"email": address(a.who)}, nil)
	}
	if len(c.recipes) == 0 {
		return nil
	}
	return c.use(ctx, p, a)
}

// use does something with a recipe. The newest are looked at most.
func (c *crowd) use(ctx context.Context, p *person, a act) error {
	back := min(a.draw%7*(a.draw>>8%5), uint64(len(c.recipes)-1))
	path := "/api/recipes/" + c.recipes[len(c.recipes)-1-int(back)]
	switch a.kind {
	case "look":
		if err := c.send(ctx, p, "GET", path, nil, nil); err != nil {
			return err
		}
		return c.send(ctx, p, "POST", path+"/views", nil, nil)
	case "save":
		return c.send(ctx, p, "PUT", path+"/save", nil, nil)
	case "rate":
		return c.send(ctx, p, "PUT", path+"/rating", map[string]int{"stars": 1 + int(a.draw%5)}, nil)
	case "print":
		return c.send(ctx, p, "POST", path+"/pdf", nil, nil)
	case "remind":
		return c.remind(ctx, p, path, a.at.Add(time.Duration(30+a.draw%240)*time.Minute))
	}
	return fmt.Errorf("nobody knows how to %s", a.kind)
}

// write drafts a recipe, with or without a photo, and publishes it unless it is left.
func (c *crowd) write(ctx context.Context, p *person, a act) error {
	thing, dish := pick(things, a.draw), pick(dishes, a.draw>>8)
	in := map[string]any{
		"title": strings.ToUpper(thing[:1]) + thing[1:] + " " + strings.ToLower(dish), "summary": "As we always make it.",
		"servings": 1 + a.draw%6, "ingredients": []string{"3 of " + thing, "salt"},
		"steps": []map[string]any{{"text": "Cut the " + thing + ".", "minutes": 10}, {"text": "Cook it.", "minutes": 20 + a.draw%30}},
	}
	if a.kind == "photo" {
		data, err := picture()
		if err != nil {
			return err
		}
		key, err := c.upload(ctx, p, "image/jpeg", data)
		if err != nil || key == "" {
			return err
		}
		in["photo_key"] = key
	}
	var draft struct{ ID string }
	if err := c.send(ctx, p, "POST", "/api/recipes", in, &draft); err != nil || draft.ID == "" || a.kind == "draft" {
		return err
	}
	if err := c.send(ctx, p, "POST", "/api/recipes/"+draft.ID+"/publish", nil, nil); err != nil {
		return err
	}
	c.recipes = append(c.recipes, draft.ID)
	return nil
}

// picture is a photograph of a phone's format, at a tenth of its pixels.
func picture() ([]byte, error) {
	sample, err := samplephotos.Named("soup.jpg")
	if err != nil {
		return nil, err
	}
	sample.Width, sample.Height = sample.Width/3, sample.Height/3
	return sample.Data()
}

// remind asks to be reminded at a time.
func (c *crowd) remind(ctx context.Context, p *person, path string, at time.Time) error {
	var made struct{ ID job.ID }
	if err := c.send(ctx, p, "POST", path+"/reminders", map[string]time.Time{"at": at}, &made); err != nil {
		return err
	}
	c.due[made.ID] = at
	return nil
}

func (c *crowd) follow(ctx context.Context, p *person, a act) error {
	author, ok := c.people[int(a.draw%uint64(len(c.people)))]
	if !ok || author == p {
		return nil
	}
	return c.send(ctx, p, "PUT", "/api/cooks/"+author.id+"/follow", map[string]bool{"notify": a.draw%2 == 0}, nil)
}

// bring imports a file of some recipes, one of which is bad.
func (c *crowd) bring(ctx context.Context, p *person, a act) error {
	var file strings.Builder
	for i := range 20 {
		fmt.Fprintf(&file, `{"title":"Grandmother's %s %d","ingredients":["1 %s"],"steps":[]}`+"\n", pick(dishes, a.draw), i, pick(things, a.draw))
	}
	file.WriteString("{\"title\":\n")
	key, err := c.upload(ctx, p, tasks.ImportLines, []byte(file.String()))
	if err != nil || key == "" {
		return err
	}
	return c.send(ctx, p, "POST", "/api/imports", map[string]string{"key": key}, nil)
}

// newsletter runs the newsletter's schedule.
func (c *crowd) newsletter(ctx context.Context, at time.Time) error {
	event := fmt.Sprintf(`{"periodic":%q,"time":%q}`, tasks.WeeklyNewsletter.Name, at.UTC().Format(time.RFC3339))
	result, err := c.invoke(ctx, "schedules", []byte(event))
	if err == nil && result.FunctionError != "" {
		err = fmt.Errorf("the schedule: %s", result.Payload)
	}
	return err
}
