"""What people look at: pictures and pages."""
