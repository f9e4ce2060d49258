//! A query in, a verdict out.
