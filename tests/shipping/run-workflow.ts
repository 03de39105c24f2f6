import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type FailedStep, type FinishedJob, renderFailedSteps, renderJobs } from './render-jobs.ts'
import { readWorkflow, substituteExpressions, type WorkflowStep } from './workflow.ts'

// Runs the commands of a workflow's jobs, which it reads from the workflow file: `node run-workflow.ts [--workflow ci]
// [STAGE...]`. It behaves as if no tag had started the workflow, and sets no secrets, so that the jobs of `release`
// publish nothing.
//
// A stage is one job, or several comma-separated jobs that run concurrently. Stages run one after another. A stage may
// also be the path of a program, such as `.ci/base-images`. Without arguments, each job is a stage. After a failed job,
// the others still run, and the exit code is 1. The last lines of each failed step are printed again at the end.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { values: flags, positionals: args } = parseArgs({
  options: { workflow: { type: 'string', default: 'ci' } },
  allowPositionals: true,
})
const { jobs } = readWorkflow(join(ROOT, `.github/workflows/${flags.workflow}.yml`))
const files = mkdtempSync(join(tmpdir(), 'touchstone-workflow-'))
/**
 * Commands that every job of the workflow runs in a separate checkout. Here, all jobs share one checkout, in which the
 * caller has already run these commands.
 */
const SHARED = new Set(['npm ci'])

/** Condition of jobs and steps that run only for releases. */
const NEEDS_TAG = "github.ref_type == 'tag'"
/** Values of the expressions in `env`. */
const EXPRESSIONS = { 'secrets.NPM_TOKEN': '', 'github.token': '' }

const stages = (args.length === 0 ? Object.keys(jobs) : args).map((stage) => stage.split(','))
const unknown = stages.flat().filter((name) => jobs[name] === undefined && !name.includes('/'))
if (unknown.length > 0) {
  process.stderr.write(`Unknown job ${unknown.join(', ')}. The jobs are ${Object.keys(jobs).join(', ')}.\n`)
  process.exit(2)
}
const finished: FinishedJob[] = []
for (const stage of stages) {
  finished.push(...(await Promise.all(stage.map((name) => runJob(name, stage.length > 1 ? `${name} | ` : '')))))
}
process.stdout.write(renderFailedSteps(finished.flatMap(({ failedSteps }) => failedSteps)) + renderJobs(finished))
process.exitCode = finished.every(({ failedSteps }) => failedSteps.length === 0) ? 0 : 1

async function runJob(name: string, prefix: string): Promise<FinishedJob> {
  const startedMs = performance.now()
  const { if: condition, env = {}, steps } = jobs[name] ?? { steps: [{ run: name }] }
  const failedSteps: FailedStep[] = []
  for (const step of steps) {
    const title = `${name}: ${step.name ?? step.run ?? step.uses}`
    if ([condition, step.if].some((one) => one?.includes(NEEDS_TAG))) {
      process.stdout.write(`${prefix}== ${title} (only for a tag: not run)\n`)
    } else if (step.run === undefined) {
      process.stdout.write(`${prefix}== ${title} (an action of GitHub: not run)\n`)
    } else if (!SHARED.has(step.run) && (failedSteps.length === 0 || runsAfterFailure(step))) {
      process.stdout.write(`${prefix}== ${title}\n`)
      const lines: string[] = []
      const exitCode = await runStep(step, env, (line, stream) => {
        lines.push(line)
        stream.write(`${prefix}${line}\n`)
      })
      if (exitCode !== 0) {
        failedSteps.push({ title, lines })
        process.stdout.write(`${prefix}== ${title}: failed with exit code ${exitCode}\n`)
      }
    }
  }
  return { name, failedSteps, seconds: (performance.now() - startedMs) / 1000 }
}

function runsAfterFailure(step: WorkflowStep): boolean {
  return step.if?.includes('!cancelled()') === true
}

/**
 * Runs the commands of one step.
 * @returns the exit code, or the name of the signal that ended the step
 */
async function runStep(
  { run = '', env: own }: WorkflowStep,
  env: Readonly<Record<string, string>>,
  onLine: (line: string, stream: NodeJS.WriteStream) => void,
): Promise<number | string> {
  const filled = Object.entries(own ?? {}).map(([name, text]) => [name, substituteExpressions(text, EXPRESSIONS)])
  const summary = { GITHUB_STEP_SUMMARY: join(files, 'summary.md'), GITHUB_OUTPUT: join(files, 'output') }
  // A workflow with `shell: bash` runs bash with these arguments.
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GITHUB_REF_TYPE: '', ...summary, ...env, ...Object.fromEntries(filled) },
  })
  createInterface({ input: child.stdout }).on('line', (line) => onLine(line, process.stdout))
  createInterface({ input: child.stderr }).on('line', (line) => onLine(line, process.stderr))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode, signal) => resolve(exitCode ?? signal ?? 'unknown'))
  })
}
