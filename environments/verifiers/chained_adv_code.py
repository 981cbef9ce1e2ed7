"""Coding problems for verifiers: a task set, an environment for one agent, and a harness without a process

    vf-eval chained-adv-code --env.taskset.problems easy --no-push

The judge runs the programs in its sandbox, on this machine. Only requests to the model leave it.
"""
from functools import cache
from typing import Literal
import httpx
import verifiers.v1 as vf
from chained_adv.cli import problem_sets
from chained_adv.core import Chain, ExecutionResult, Problem
from chained_adv.matches import Match, match_jobs, reward_match
from chained_adv.sandbox import Job, Sandbox
from chained_adv.stages import PromptSet, generator_prompt, load_prompts
from chained_adv.testcases import read_program

__all__ = ["CodeTaskset", "CodeEnv", "ChatHarness"]


# Problems and the sandbox, once in each process

@cache
def problems_of(source: str, split: str) -> dict[str, Problem]: # By id
    "Load the problems of a source, as `chained-adv train --problems` does"
    parts = dict(zip(("train", "held_out"), problem_sets(source)))
    chosen = sum(parts.values(), []) if split == "all" else parts[split]
    return {p.id: p for p in chosen}

@cache
def prompts_of(name: str) -> PromptSet: return load_prompts(name)

@cache
def sandbox() -> Sandbox: return Sandbox(give_up=True) # a program that runs into its time limit is given up

async def run_jobs(jobs: list[Job]) -> list[ExecutionResult]: # One per job
    "Run jobs; those of episodes that wait together make one batch"
    return await sandbox().run_many_async(jobs)


# Tasks

class CodeData(vf.TaskData):
    problem: str # Its id. The problem itself, with its reference solution, is in no trace
    source: str # Where it is from
    split: str # Which part of that

class CodeTaskConfig(vf.TaskConfig):
    prompts: str = "chat" # Name or file of a prompt set

def program_of(trace: vf.Trace, problem: Problem) -> str: # Python source
    "Find the program in an answer"
    cut = any(o.finish_reason == "length" for o in trace.calls[-1:])
    return read_program(trace.last_reply, problem.entry_point, not cut).code

def problem_of(data: CodeData) -> Problem: return problems_of(data.source, data.split)[data.problem]

class CodeTask(vf.Task[CodeData, vf.State, CodeTaskConfig]):
    @property
    def key(self) -> str: return f"{self.data.source}/{self.data.problem}"

    @vf.reward
    async def passed(self, trace: vf.Trace) -> float: # As in training with `--reward baseline`
        "Half for the share of the problem's own tests that the program passes, half for all of them"
        problem = problem_of(self.data)
        match = Match(problem, [Chain(problem, code=program_of(trace, problem))])
        reward_match(match, iter(await run_jobs(match_jobs(match))), reward="baseline")
        trace.record_metric("solved", float(match.chains[0].solved))
        return match.chains[0].generator_reward

class CodeConfig(vf.TasksetConfig):
    problems: str = "easy" # File or name of a set: `builtin`, `easy`, `tiny`; ` + ` joins several
    split: Literal["train", "held_out", "all"] = "train"
    task: CodeTaskConfig = CodeTaskConfig()

class CodeTaskset(vf.Taskset[CodeTask, CodeConfig]):
    def load(self):
        c = self.config
        prompts = prompts_of(c.task.prompts)
        for p in problems_of(c.problems, c.split).values():
            prompt = str(generator_prompt(prompts, p, 5, [None] * 4))
            asked = dict(prompt=prompt, system_prompt=prompts.system or None)
            data = CodeData(name=p.id, problem=p.id, source=c.problems, split=c.split, **asked)
            yield CodeTask(data, c.task)


# Who plays

class ChatHarness(vf.Harness[vf.HarnessConfig]):
    "One request to the model, from this process: no program is started"
    APPENDS_SYSTEM_PROMPT, SUPPORTS_RESUME, EXECUTES_CODE, NEEDS_CONTAINER = True, True, False, False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        system, prompt = self.resolve_prompt(data)
        messages = [dict(role="system", content=system)] if system else []
        if isinstance(prompt, str): messages.append(dict(role="user", content=prompt))
        else: messages += [dict(role=m.role, content=m.content) for m in prompt]
        async with httpx.AsyncClient(timeout=None) as client: # the agent's own time limit holds
            body, headers = dict(model=ctx.model, messages=messages), {"authorization": f"Bearer {secret}"}
            answer = await client.post(f"{endpoint}/chat/completions", json=body, headers=headers)
        failed = answer.status_code >= 400
        return vf.ProgramResult(exit_code=int(failed), stdout="", stderr=answer.text if failed else "")

def local_agent() -> vf.AgentConfig:
    "An agent on this machine; verifiers would rent a box for it"
    return vf.AgentConfig(harness=vf.HarnessConfig(id="chained-adv-code"), runtime=vf.SubprocessConfig())

class CodeEnvConfig(vf.SingleAgentEnvConfig):
    agent: vf.AgentConfig = local_agent()

class CodeEnv(vf.SingleAgentEnv, vf.Env[CodeEnvConfig]):
    "One agent writes one program"
