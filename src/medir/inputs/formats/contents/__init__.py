"""What files hold: how a format is recognised, and one module for each kind of reader."""
