"""Functional execution of SASS, vectorised over lanes and over the warps that stand at the same instruction."""
