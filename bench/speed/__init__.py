"""What a search costs, beside bare SQL and beside other memory stores on the same server."""
