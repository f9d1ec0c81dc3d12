package e2e_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/resizer"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// siteTable is the site's table of the shared stack, as an operator has it.
func siteTable(t *testing.T) *rows.Table {
	t.Helper()
	client := dynamodb.NewFromConfig(aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(crumb.AWSURL()),
		Credentials: credentials.NewStaticCredentialsProvider("operator", "operator", ""),
	})
	tables, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tables.TableNames {
		if strings.Contains(name, "SiteTable") {
			driver := dynamo.New(client, name)
			jobs, err := store.New(store.Config{Driver: driver})
			if err != nil {
				t.Fatal(err)
			}
			table, err := rows.New(driver, name, jobs)
			if err != nil {
				t.Fatal(err)
			}
			return table
		}
	}
	t.Fatalf("the site's table is not among %v", tables.TableNames)
	return nil
}

// plate is a picture of one colour.
func plate(t *testing.T, c color.NRGBA) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 90, 60))
	for i := range len(img.Pix) / 4 {
		copy(img.Pix[4*i:], []uint8{c.R, c.G, c.B, c.A})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withPhoto drafts a recipe with an upload that is resized along with it, and gives
// the recipe when the photo's job has ended.
func withPhoto(t *testing.T, p *person, data []byte) recipes.View {
	t.Helper()
	c, ctx := newClient(t)
	key, err := c.Upload(ctx, "image/png", data)
	if err != nil {
		t.Fatal(err)
	}
	in := soup("Soup on a plate")
	in.PhotoKey = key
	draft := told[recipes.Recipe](p, http.StatusCreated, "POST", "/api/recipes", in)
	if _, err := c.Wait(ctx, job.ID(draft.PhotoJob)); err != nil {
		t.Fatal(err)
	}
	return told[recipes.View](p, http.StatusOK, "GET", "/api/recipes/"+draft.ID, nil)
}

func TestPhotoOfARecipe(t *testing.T) {
	ada := newcomer(t, "Ada")
	v := withPhoto(t, ada, plate(t, color.NRGBA{200, 90, 10, 255}))
	if v.Photo == nil || v.Photo.State != "done" || len(v.Photo.Sizes) != 4 {
		t.Fatalf("the photo is %+v", v.Photo)
	}
	ada.does(http.StatusOK, "GET", v.Photo.Sizes[0].URL, nil)
}

// What an operator blocks is refused by its pixels, and the recipe says so.
func TestBlockedPhoto(t *testing.T) {
	data := plate(t, color.NRGBA{13, 200, 13, 255})
	hashes, err := resizer.Hashes(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if err := photos.Block(t.Context(), siteTable(t), hashes[1], "a test"); err != nil {
		t.Fatal(err)
	}
	v := withPhoto(t, newcomer(t, "Ada"), data)
	if v.Photo == nil || v.Photo.State != "failed" || v.Photo.Error == nil || v.Photo.Error.Code != "not_allowed" || len(v.Photo.Sizes) != 0 {
		t.Errorf("the photo is %+v", v.Photo)
	}
}
