from flair.datasets import ClassificationCorpus
from flair.embeddings import TransformerDocumentEmbeddings
from flair.models import TextClassifier
from flair.trainers import ModelTrainer

corpus = ClassificationCorpus(
    "data/texts",
    train_file="train.txt",
    dev_file="dev.txt",
    test_file="test.txt",
    label_type="mood",
)
label_dict = corpus.make_label_dictionary(label_type="mood")
document_embeddings = TransformerDocumentEmbeddings("data/bert", fine_tune=True)
classifier = TextClassifier(document_embeddings, label_dictionary=label_dict, label_type="mood")
trainer = ModelTrainer(classifier, corpus)
trainer.fine_tune("out", learning_rate=5.0e-5, mini_batch_size=4, max_epochs=1)
