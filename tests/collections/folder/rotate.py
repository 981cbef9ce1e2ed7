"Turn a list to the left by k places."

def rotate(xs, k):
    k = k % len(xs) if xs else 0
    return xs[k:] + xs[:k]
