__version__ = "0.1.0"

import logging

# A library that is loaded with `peft` warns of a faster kernel that it lacks, and of every cast. Nobody can act on
# that, and every command would begin with it, so only its errors are shown.
logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
