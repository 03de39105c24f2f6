import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const AIMOCK_VERSION = '1.43.0'

/** A task for which each tool has a test file. */
export interface ComparedTask {
  /** Name of the test file, without `.test.mts`. */
  readonly id: string
  readonly title: string
  readonly tests: number
  /** Number of times the file runs. For recordings, the first run records and the second replays. */
  readonly runs: number
}

export const COMPARED_TASKS: readonly ComparedTask[] = [
  { id: 'tool-loop', title: 'the tool loop of an agent', tests: 4, runs: 1 },
  { id: 'errors', title: 'a retry after a 429, a 402, a broken stream', tests: 10, runs: 1 },
  { id: 'record', title: 'record, then replay without the upstream', tests: 4, runs: 2 },
]

/** The compared tools. Each has a directory with its programs. */
export const COMPARED_TOOLS = ['touchstone', 'aimock'] as const
export type ComparedTool = (typeof COMPARED_TOOLS)[number]

export function readProgram(tool: ComparedTool, { id }: ComparedTask): string {
  return readFileSync(join(import.meta.dirname, tool, `${id}.test.mts`), 'utf8')
}

/** Counts the lines of a program, without empty lines and comments. */
export function countLines(program: string): number {
  return program.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length
}

/** Counts the commands that a developer types: one installation, and each run. */
export function countSteps({ runs }: ComparedTask): number {
  return 1 + runs
}

/** Renders the table of `docs/reference/comparison.md`. */
export function renderComparisonTable(): string {
  return [
    `| task | touchstone | aimock ${AIMOCK_VERSION} | number of commands for each tool |`,
    '|---|---|---|---|',
    ...COMPARED_TASKS.map((task) => {
      const lines = COMPARED_TOOLS.map((tool) => {
        const path = `../../tests/comparison/${tool}/${task.id}.test.mts`
        return `[${countLines(readProgram(tool, task))} lines](${path})`
      })
      return `| ${task.title} | ${lines.join(' | ')} | ${countSteps(task)} |`
    }),
  ].join('\n')
}
