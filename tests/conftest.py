"""How the property tests run: by themselves they explore; the gate gives one commit one answer."""

from hypothesis import settings

# No profile has a deadline: speed is measured in `bench/`, and a slow machine is no failure.
settings.register_profile("explore", deadline=None)
settings.register_profile("gate", deadline=None, derandomize=True)
settings.load_profile("explore")
