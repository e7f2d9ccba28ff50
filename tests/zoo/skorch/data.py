"""Nothing: scikit-learn makes the rows."""
