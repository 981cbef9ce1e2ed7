import unittest

from leap import (
    leap_year,
)


class LeapTest(unittest.TestCase):
    def test_not_by_four(self):
        self.assertIs(leap_year(2015), False)

    def test_by_four_hundred(self):
        self.assertIs(leap_year(2000), True)
