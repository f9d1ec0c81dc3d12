package samplephotos

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"time"
)

// All lists the samples: those that work first, the bad ones under "bad/".
func All() []Sample {
	list := []Sample{
		{Name: "soup.jpg", Width: 3000, Height: 4000, make: soupPhoto},
		{Name: "tomatoes.jpg", Width: 2400, Height: 1600, make: tomatoPhoto},
		{Name: "progressive.jpg", Width: 1100, Height: 800, make: progressivePhoto},
		{Name: "print-cmyk.jpg", Width: 800, Height: 600, make: cmykPhoto(AdobeCMYK)},
		{Name: "print-ycck.jpg", Width: 400, Height: 300, make: cmykPhoto(AdobeYCCK)},
		{Name: "grey.jpg", Width: 900, Height: 600, make: greyPhoto},
		{Name: "small.jpg", Width: 120, Height: 90, make: smallPhoto},
		{Name: "deep.png", Width: 800, Height: 600, make: deepPhoto},
		{Name: "cutout.png", Width: 700, Height: 700, Transparent: true, make: cutoutPhoto},
		{Name: "steam.gif", Width: 400, Height: 300, make: steamAnimation},
	}
	for o := 1; o <= 8; o++ {
		list = append(list, Sample{Name: fmt.Sprintf("orientation-%d.jpg", o), Width: 600, Height: 800, make: signPhoto(o)})
	}
	return append(list, badSamples()...)
}

// camera is what the invented camera writes into its files.
func camera(orientation int) EXIF {
	return EXIF{
		Make: "Crumb", Model: "Larder 12", Software: "samplephotos",
		Taken:       time.Date(2024, time.May, 17, 12, 30, 5, 0, time.UTC),
		Orientation: orientation,
		Latitude:    52.520815, Longitude: 13.409419,
	}
}

// soupPhoto is what a phone held upright writes: stored lying on its side, with
// EXIF, a position, XMP, IPTC and a comment.
func soupPhoto(w, h int) ([]byte, error) {
	file, err := encodeJPEG(store(paint(w, h, soup, 0.035), 6), 90)
	if err != nil {
		return nil, err
	}
	return WithSegments(file,
		Segment{0xe1, append([]byte("Exif\x00\x00"), camera(6).Bytes()...)},
		Segment{0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00" + xmp)},
		Segment{0xed, []byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x0e\x1c\x02\x5a\x00\x09Somewhere")},
		Segment{0xfe, []byte("taken at 52.520815 N, 13.409419 E")},
	), nil
}

const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
	`<rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="52,31.2489N" exif:GPSLongitude="13,24.5651E"/>` +
	`</rdf:RDF></x:xmpmeta>`

// tomatoPhoto carries a colour profile beside its EXIF data.
func tomatoPhoto(w, h int) ([]byte, error) {
	file, err := encodeJPEG(paint(w, h, tomatoes, 0.03), 92)
	if err != nil {
		return nil, err
	}
	segments := []Segment{{0xe1, append([]byte("Exif\x00\x00"), camera(1).Bytes()...)}}
	return WithSegments(file, append(segments, ProfileSegments(Profile(0))...)...), nil
}

func signPhoto(orientation int) func(w, h int) ([]byte, error) {
	return func(w, h int) ([]byte, error) {
		file, err := encodeJPEG(store(paint(w, h, sign(orientation), 0.03), orientation), 88)
		if err != nil {
			return nil, err
		}
		exif := camera(orientation)
		exif.BigEndian = orientation%2 == 0
		return WithSegments(file, Segment{0xe1, append([]byte("Exif\x00\x00"), exif.Bytes()...)}), nil
	}
}

func progressivePhoto(w, h int) ([]byte, error) {
	return Progressive(paint(w, h, soup, 0.02))
}

func cmykPhoto(kind CMYKKind) func(w, h int) ([]byte, error) {
	return func(w, h int) ([]byte, error) { return CMYK(toCMYK(paint(w, h, tomatoes, 0.02)), kind) }
}

func greyPhoto(w, h int) ([]byte, error) { return encodeJPEG(toGrey(paint(w, h, soup, 0.05)), 88) }

func smallPhoto(w, h int) ([]byte, error) {
	file, err := encodeJPEG(paint(w, h, tomatoes, 0), 90)
	if err != nil {
		return nil, err
	}
	return WithSegments(file, Segment{0xe1, append([]byte("Exif\x00\x00"), camera(1).Bytes()...)}), nil
}

func deepPhoto(w, h int) ([]byte, error)   { return encodePNG(paintDeep(w, h, tomatoes)) }
func cutoutPhoto(w, h int) ([]byte, error) { return encodePNG(paintCutout(w, h)) }

func encodeJPEG(img image.Image, quality int) ([]byte, error) {
	var file bytes.Buffer
	err := jpeg.Encode(&file, img, &jpeg.Options{Quality: quality})
	return file.Bytes(), err
}

func encodePNG(img image.Image) ([]byte, error) {
	var file bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err := encoder.Encode(&file, img)
	return file.Bytes(), err
}
