package pdfs

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-fonts/liberation/liberationserifbold"
	"codeberg.org/go-fonts/liberation/liberationserifregular"
	"codeberg.org/go-pdf/fpdf"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
)

// Measures of the page, in millimetres, and of text, in points.
const (
	margin     = 20.0
	width      = 210 - 2*margin
	fontName   = "serif"
	bodySize   = 11.0
	headSize   = 14.0
	titleSize  = 22.0
	lineHeight = 5.5
	// A photo is as large as fits in there.
	photoWidth  = 80.0
	photoHeight = 110.0
)

// A Photo is the picture of a recipe.
type Photo struct {
	Data []byte
	// Format is "jpg" or "png".
	Format string
}

// Render makes the PDF of a recipe, with its photo if there is one. The same recipe
// gives the same bytes: nothing in them depends on when, or where, they were made.
func Render(r recipes.Recipe, photo *Photo) (data []byte, pages int, err error) {
	p := page{pdf: fpdf.New("P", "mm", "A4", "")}
	p.pdf.SetCatalogSort(true)
	p.pdf.SetCreationDate(r.ChangedAt.UTC().Truncate(time.Second))
	p.pdf.SetModificationDate(r.ChangedAt.UTC().Truncate(time.Second))
	p.pdf.SetTitle(printable(r.Title), true)
	p.pdf.SetAuthor(printable(r.AuthorName), true)
	p.pdf.SetProducer("Crumb", false)
	p.pdf.AddUTF8FontFromBytes(fontName, "", liberationserifregular.TTF)
	p.pdf.AddUTF8FontFromBytes(fontName, "B", liberationserifbold.TTF)
	p.pdf.SetMargins(margin, margin, margin)
	p.pdf.SetAutoPageBreak(true, margin)
	p.pdf.SetFooterFunc(p.footer)
	p.pdf.AddPage()
	p.recipe(r, photo)
	var out bytes.Buffer
	if err := p.pdf.Output(&out); err != nil {
		return nil, 0, fmt.Errorf("pdfs: writing the PDF: %w", err)
	}
	return out.Bytes(), p.pdf.PageCount(), nil
}

// A page is a PDF that is being written, from top to bottom.
type page struct{ pdf *fpdf.Fpdf }

func (p page) recipe(r recipes.Recipe, photo *Photo) {
	p.text("B", titleSize, r.Title)
	p.text("", bodySize, byline(r))
	if r.Summary != "" {
		p.space()
		p.text("", bodySize, r.Summary)
	}
	p.photo(photo)
	p.heading("Ingredients")
	for _, ingredient := range r.Ingredients {
		p.text("", bodySize, "•  "+ingredient)
	}
	p.heading("Preparation")
	for i, step := range r.Steps {
		p.text("", bodySize, fmt.Sprintf("%d.  %s%s", i+1, step.Text, minutes(step.Minutes)))
		p.space()
	}
}

// byline says whose recipe it is, how long it takes, and for how many it is.
func byline(r recipes.Recipe) string {
	parts := []string{"by " + r.AuthorName}
	if total := r.TotalMinutes(); total > 0 {
		parts = append(parts, fmt.Sprintf("%d minutes", total))
	}
	if r.Servings > 0 {
		parts = append(parts, fmt.Sprintf("serves %d", r.Servings))
	}
	return strings.Join(parts, "  ·  ")
}

func minutes(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d min)", n)
}

func (p page) heading(text string) {
	p.space()
	p.text("B", headSize, text)
	p.pdf.Ln(1)
}

func (p page) text(style string, size float64, text string) {
	p.pdf.SetFont(fontName, style, size)
	p.pdf.MultiCell(width, lineHeight*max(1, size/bodySize*0.9), printable(text), "", "L", false)
}

func (p page) space() { p.pdf.Ln(lineHeight / 2) }

// photo puts the photo into the flow of the page.
func (p page) photo(photo *Photo) {
	if photo == nil {
		return
	}
	p.space()
	options := fpdf.ImageOptions{ImageType: photo.Format}
	info := p.pdf.RegisterImageOptionsReader("photo", options, bytes.NewReader(photo.Data))
	if p.pdf.Error() != nil {
		return // Render gives it
	}
	scale := min(photoWidth/info.Width(), photoHeight/info.Height())
	p.pdf.ImageOptions("photo", margin, p.pdf.GetY(), scale*info.Width(), scale*info.Height(), true, options, 0, "")
}

func (p page) footer() {
	p.pdf.SetY(-margin + 5)
	p.pdf.SetFont(fontName, "", 8)
	p.pdf.CellFormat(width, 4, fmt.Sprintf("Crumb  ·  %d", p.pdf.PageNo()), "", 0, "C", false, 0, "")
}

// printable leaves out what the font can't have: the library knows the first plane of
// Unicode alone, and control characters mean nothing on paper.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r > 0xffff:
			return '□'
		case r == '\n':
			return r
		case r < ' ' || r == 0x7f:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
}
