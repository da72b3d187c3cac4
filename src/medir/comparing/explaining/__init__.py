"""Why a value is what it is: what each document adds, and the value in words."""
