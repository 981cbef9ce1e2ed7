"""The two-player game for verifiers: a generator writes in stages, and a discriminator tests each of them

    vf-eval chained-adv-code --env.id chained-adv-game --env.taskset.problems easy --no-push

One episode is a match: `chains` attempts at a problem, and a list of tests about each stage of each. The
tests pile up, and run against all programs of the episode. Each trace is one answer. A generator's answers
earn the reward of their chain, a list of tests earns its own: the same numbers as in chained_adv's trainer.
"""
import asyncio
from pydantic import model_validator
import verifiers.v1 as vf
from chained_adv.core import Chain, ConfigError
from chained_adv.matches import Match, list_of_tests, match_jobs, reward_match
from chained_adv.rewards import get_reward_scheme, tally_tests
from chained_adv.stages import answer_kind, complete_output, discriminator_prompt, find_end
from chained_adv.stages import generator_prompt, pick_stages
from chained_adv.testcases import parse_tests
from chained_adv_code import local_agent, problem_of, program_of, prompts_of, run_jobs

__all__ = ["GameEnv"]


class GameConfig(vf.EnvConfig):
    generator: vf.AgentConfig = local_agent()
    discriminator: vf.AgentConfig = local_agent()
    chains: int = 1 # Attempts at the problem; each meets the tests about the others, too
    stages: list[int] = [5] # That the generator writes, the last one 5
    test_stages: list[int] = [5] # That the discriminator reads
    reward: str = "per_test" # Name of a reward scheme

    @model_validator(mode="after")
    def check(self):
        "Refuse what can't be played, before any request"
        try:
            pick_stages(tuple(self.stages), tuple(self.test_stages))
            get_reward_scheme(self.reward)
        except ConfigError as e: raise ValueError(str(e)) from None
        if self.chains < 1: raise ValueError(f"chains is {self.chains}; it must be at least 1")
        return self

class TurnData(vf.TaskData):
    chain: int # Which attempt, from 0
    stage: int # 1 to 5

class TurnTask(vf.Task[TurnData]): pass

def own_part(prompts, role, stage, text):
    "Cut an answer where our own sampler would have stopped; programs and tests are read leniently instead"
    lines = prompts.answer_lines[stage - 1]
    end = find_end(prompts, text, "stage", lines) if answer_kind(role, stage) == "stage" else None
    return text[:end[0]] if end else text

class GameEnv(vf.Env[GameConfig]):
    async def run(self, task, agents):
        await asyncio.gather(*(self.play_chain(i, task, agents) for i in range(self.config.chains)))

    async def play_chain(self, number, task, agents):
        "Write one chain, and the tests about each of its stages"
        c, problem, prompts, outputs = self.config, problem_of(task.data), prompts_of(task.config.prompts), []
        async def ask(agent, role, stage, prompt):
            asked = dict(prompt=str(prompt), system_prompt=prompts.system or None)
            name = f"{problem.id}, {role}, stage {stage}"
            trace = await agent.run(TurnTask(TurnData(name=name, chain=number, stage=stage, **asked)))
            if not trace.ok:
                why = trace.last_error.message if trace.last_error else "no reason is known"
                raise RuntimeError(f"the {role} did not answer at stage {stage} of {problem.id}: {why}")
            return own_part(prompts, role, stage, trace.last_reply)
        for stage in range(1, 6):
            if stage not in c.stages:
                outputs.append(None)
                continue
            prompt = generator_prompt(prompts, problem, stage, outputs)
            text = await ask(agents.generator, "generator", stage, prompt)
            outputs.append(complete_output(prompts, problem, stage, text))
            if stage not in c.test_stages: continue
            prompt = discriminator_prompt(prompts, problem, stage, outputs[-1])
            await ask(agents.discriminator, "discriminator", stage, prompt)

    async def finalize(self, task, episode):
        c, problem = self.config, problem_of(task.data)
        match, traces = read_match(problem, episode.traces, c.chains)
        reward_match(match, iter(await run_jobs(match_jobs(match))), reward=c.reward)
        for chain, written, lists in zip(match.chains, *traces):
            for trace in written:
                trace.record_reward("generator", chain.generator_reward)
                trace.record_metric("solved", float(chain.solved))
            for trace, tests in zip(lists, chain.lists):
                trace.record_reward("discriminator", tests.reward)
                for name, n in vars(tally_tests(tests.result, tests.validation)).items():
                    trace.record_metric(name, float(n))
                for i, credit in enumerate(tests.credits or ()): trace.record_metric(f"credit_{i}", credit)


class Answer:
    "What a list of tests needs to know of an answer"
    def __init__(self, text): self.text = text

def read_match(problem, traces, n_chains):
    "(match, (the generator's traces, the discriminator's) of each chain, stage by stage)"
    of = lambda role, i: sorted((t for t in traces if t.agent.name == role and t.task.data.chain == i),
                                key=lambda t: t.task.data.stage)
    both = [[of(role, i) for i in range(n_chains)] for role in ("generator", "discriminator")]
    chains = []
    for written, lists in zip(*both):
        chains.append(Chain(problem, code=program_of(written[-1], problem)))
        for t in lists:
            parsed = parse_tests(t.last_reply, problem.entry_point, problem.function_signature)
            chains[-1].lists.append(list_of_tests(t.task.data.stage, Answer(t.last_reply), parsed))
    return Match(problem, chains), both
