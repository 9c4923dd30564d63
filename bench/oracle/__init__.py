"""Whether time tells what is hidden."""
