// WebDataset's shards, tar archives.
#include "io/manifests/containers/tar.hpp"
#include "io/manifests/containers/webdataset_rows.hpp"
#include "io/manifests/engine/audio_rows.hpp"
#include "io/manifests/formats/formats.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

void read_webdataset(stream::Input& input, RowSink& sink) { containers::ShardRows(input, sink).read(); }
bool is_webdataset(const Probe& probe) { return containers::is_tar(probe.head); }

}  // namespace

const Reader kWebDataset{
    .name = "webdataset",
    .summary =
        "WebDataset's tar shards: a key of the .json members (json.duration), .txt, or with --probe-audio the audio",
    .example = "shards/train-{000000..000511}.tar",
    .recognises = is_webdataset,
    .read = read_webdataset,
};

}  // namespace seqpoint::io::manifests::formats
