"""Not the worst case but the likely one."""
