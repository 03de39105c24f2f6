import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { startEmulator, type Emulator } from '../../emulator/start-emulator.ts'
import { createProject, installPackages, readInstalledVersion } from '../shipping/installed-package.ts'
import { runProgramOrThrow, runProgram } from '../shipping/run-program.ts'
import { AIMOCK_VERSION, COMPARED_TASKS, COMPARED_TOOLS, type ComparedTask, type ComparedTool } from './programs.ts'

// Installs the packed package and aimock in a new project, and runs the same tests with both.

const ROOT = join(import.meta.dirname, '../..')

let project = ''

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'comparison-'))
  const packed = await runProgramOrThrow(['npm', 'pack', '--json', '--pack-destination', directory], { cwd: ROOT })
  const filename = /"filename": "(.+)"/.exec(packed.stdout)?.[1] ?? ''
  project = await createProject(join(directory, 'project'))
  const others = ['openai', 'vitest'].map(async (name) => `${name}@${await readInstalledVersion(name)}`)
  const packages = [join(directory, filename), `@copilotkit/aimock@${AIMOCK_VERSION}`, ...(await Promise.all(others))]
  const problem = await installPackages(project, packages)
  if (problem !== undefined) throw new Error(problem)
  for (const name of [...COMPARED_TOOLS, 'agent.mts']) {
    cpSync(join(import.meta.dirname, name), join(project, name), { recursive: true })
  }
})

describe.each(COMPARED_TOOLS)('%s', (tool) => {
  test.each(COMPARED_TASKS)('passes the test of $title', async (task) => {
    await using upstream = await startEmulator({ fixtures: [{ message: 'Say hello.', text: 'Hello!' }] })
    expect(await runTests(tool, task, upstream)).toEqual({ passed: task.tests, failed: 0 })
    const isRecorded = upstream.auditClients().requests > 0
    expect(isRecorded).toBe(task.id === 'record')
    await upstream.close()
    if (isRecorded) expect(await runTests(tool, task, upstream)).toEqual({ passed: task.tests, failed: 0 })
  })

  test('fails the test of the tool loop if the agent sends another tool result', async () => {
    await using upstream = await startEmulator()
    const agent = join(project, 'agent.mts')
    const code = readFileSync(agent, 'utf8')
    writeFileSync(agent, code.replace('21 degrees', '22 degrees'))
    for (const task of COMPARED_TASKS.filter(({ id }) => id === 'tool-loop'))
      expect(await runTests(tool, task, upstream)).toEqual({ passed: 0, failed: task.tests })
    writeFileSync(agent, code)
  })
})

/** Runs the tests of a task with a tool, and returns how many passed and failed. */
async function runTests(
  tool: ComparedTool,
  { id }: ComparedTask,
  upstream: Emulator,
): Promise<{ passed: number; failed: number }> {
  const output = join(project, `${tool}-${id}.json`)
  const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs')
  const flags = ['run', id, '--root', join(project, tool), '--reporter', 'json', '--outputFile', output]
  const env = { UPSTREAM_URL: upstream.url, OPENAI_API_KEY: upstream.keys.funded }
  await runProgram([process.execPath, vitest, ...flags], { cwd: join(project, tool), env })
  // The cast is safe: the JSON reporter of vitest writes these fields.
  const result = JSON.parse(readFileSync(output, 'utf8')) as {
    readonly numPassedTests: number
    readonly numFailedTests: number
  }
  return { passed: result.numPassedTests, failed: result.numFailedTests }
}
