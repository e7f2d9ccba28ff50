import spacy

import seqpoint


@spacy.registry.batchers("known_batch_by_words.v1")
def known_batch_by_words(size, tolerance, discard_oversize, get_length):
    make = spacy.registry.batchers.get("spacy.batch_by_words.v1")
    own = make(
        size=size, tolerance=tolerance, discard_oversize=discard_oversize, get_length=get_length
    )

    def batches(texts):
        yield from seqpoint.iterate(own(texts), lambda batch: max(len(text) for text in batch))

    return batches
