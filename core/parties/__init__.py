"""Who is asked: specs, providers, addresses, and judges that grade together."""
