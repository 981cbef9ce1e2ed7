"""The ARC workbench. `show` and `edit` are for notebooks; everything else lies in the modules."""

def show(
    task # A `Task`, `Pair` or `Grid`; anything else, too
):
    "Display a task below a cell"
    from IPython.display import display
    display(task)

def edit(
    task, # A `Task`
    **more # Further parameters of `chained_adv.arc.server.TaskEditor`
): # A `TaskEditor`: shows itself below a cell; its `grids` are what was drawn
    "The editor of a task, below a cell"
    from chained_adv.arc.server import edit
    return edit(task, **more)
