import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readWorkflow, type Step } from './workflow.ts'

// Runs the commands of the workflow's jobs, read from the file itself, one after the other: `node run-workflow.ts [JOB...]`.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { jobs } = readWorkflow(join(ROOT, '.github/workflows/ci.yml'))
const files = mkdtempSync(join(tmpdir(), 'touchstone-workflow-'))
/** Each job would do so in a tree of its own: here they share one. */
const done = new Set(['npm ci'])

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => jobs[name] === undefined)
if (unknown.length > 0) {
  process.stderr.write(`There is no job ${unknown.join(', ')}: there are ${Object.keys(jobs).join(', ')}.\n`)
  process.exit(2)
}
for (const name of asked.length === 0 ? Object.keys(jobs) : asked) {
  runJob(name)
}

function runJob(name: string): void {
  const { env = {}, steps } = jobs[name] ?? { steps: [] }
  for (const step of steps) {
    const title = `${name}: ${step.name ?? step.run ?? step.uses}`
    if (step.run === undefined) {
      process.stdout.write(`\n== ${title} (GitHub's own: left out)\n`)
    } else if (!done.has(step.run)) {
      process.stdout.write(`\n== ${title}\n`)
      runStep(step, env)
    }
  }
}

function runStep({ run = '', env: own }: Step, env: Readonly<Record<string, string>>): void {
  const summary = { GITHUB_STEP_SUMMARY: join(files, 'summary.md'), GITHUB_OUTPUT: join(files, 'output') }
  // The shell that `shell: bash` stands for.
  const command = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run]
  const { status } = spawnSync('bash', command, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...summary, ...env, ...own },
  })
  if (status !== 0) process.exit(status ?? 1)
}
