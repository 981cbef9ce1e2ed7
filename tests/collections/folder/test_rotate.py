from rotate import rotate

def test_one():
    assert rotate([1, 2, 3], 1) == [2, 3, 1]

def test_none():
    assert rotate([], 4) == []
