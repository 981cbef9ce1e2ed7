"Settings of all suites: a slow machine must not fail a property"
from hypothesis import HealthCheck, settings

settings.register_profile("chained_adv", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("chained_adv")
