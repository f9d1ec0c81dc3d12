package videos

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/videos/clip"
)

// cacheControl lets browsers and caches keep a result for good: what lies under its
// key never changes.
const cacheControl = "public, max-age=31536000, immutable"

// ResultKey is where a file made from an upload lies: videos/<id>/<file>. The path of
// its URL is the same with a slash before it.
func ResultKey(id, file string) string { return "videos/" + id + "/" + file }

// results makes the other two pictures and writes all three.
func (t *Transcoder) results(ctx context.Context, id string, film *clip.Clip, segments [][]byte) (tasks.Video, error) {
	video := tasks.Video{Seconds: film.Duration.Seconds()}
	preview, err := film.Preview(ctx)
	if err != nil {
		return tasks.Video{}, failed(err)
	}
	poster, err := film.Poster(ctx)
	if err != nil {
		return tasks.Video{}, failed(err)
	}
	for _, file := range []struct {
		name, ext, contentType string
		picture                clip.Picture
		into                   *tasks.Size
	}{
		{"poster", "jpg", "image/jpeg", poster, &video.Poster},
		{"preview", "gif", "image/gif", preview, &video.Preview},
		{"clip", "gif", "image/gif", film.Join(segments), &video.Clip},
	} {
		key := ResultKey(id, file.name+"."+file.ext)
		if err := t.objects.Put(ctx, key, file.picture.Data, file.contentType, cacheControl); err != nil {
			return tasks.Video{}, fmt.Errorf("videos: writing %s: %w", key, err)
		}
		*file.into = tasks.Size{
			Name: file.name, Key: key, URL: "/" + key,
			Width: file.picture.Width, Height: file.picture.Height, Bytes: len(file.picture.Data),
		}
	}
	return video, nil
}
