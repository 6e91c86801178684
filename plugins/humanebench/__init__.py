"""HumaneBench (Building Humane Technology 2025): does a reply treat a person well?"""
