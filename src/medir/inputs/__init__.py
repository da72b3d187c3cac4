"""What people bring: runs, judgments, passages, lengths, texts, groups."""
