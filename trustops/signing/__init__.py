"""Keys, signatures and the bundle's container: the only room that knows cryptography."""
