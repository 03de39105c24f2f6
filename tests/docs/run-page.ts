import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findAssignments, replaceInstalledCommand, replaceNpmRun } from './commands.ts'
import { findMissingLine } from './compare-output.ts'
import { type CodeBlock, isOutputBlock, findInstruction, parseCodeBlocks } from './parse-code-blocks.ts'
import type { PageEnvironment } from './page-environment.ts'

const BLOCK_TIMEOUT_MS = 300_000

/** A block whose result differs from the page: its line number, and the difference. */
export interface PageProblem {
  readonly line: number
  readonly message: string
}

/**
 * Runs the blocks of a page in order, and returns those whose result differs. Without k6, skips the blocks that need
 * it.
 */
export async function runPage(
  page: string,
  environment: PageEnvironment,
  hasK6: boolean,
): Promise<readonly PageProblem[]> {
  const servers = new Map<string, ChildProcess>()
  const problems: PageProblem[] = []
  let printed: string | undefined
  let assigned = ''
  try {
    for (const block of parseCodeBlocks(page)) {
      const message = await attempt(async () => {
        if (block.language === 'text') return compare(block, printed, environment)
        if (block.language !== 'sh') return writeOrEditFile(block, environment)
        printed = undefined
        if (!shouldRun(block, hasK6)) return undefined
        const commands = adaptCommands(block, environment)
        const result = await runCommands(block, { commands: assigned + commands, servers, environment })
        assigned += findAssignments(commands)
        printed = result.printed
        return result.problem
      })
      if (message !== undefined) problems.push({ line: block.line, message })
    }
  } finally {
    await Promise.all([...servers.values()].map((server) => end(server)))
  }
  return problems
}

async function attempt(act: () => Promise<string | undefined>): Promise<string | undefined> {
  return act().catch((error: unknown) => String(error))
}

function shouldRun(block: CodeBlock, hasK6: boolean): boolean {
  return findInstruction(block, 'not run') === undefined && (hasK6 || findInstruction(block, 'needs k6') === undefined)
}

function adaptCommands(block: CodeBlock, { replacePlaceholders, hasNpm }: PageEnvironment): string {
  const commands = replaceInstalledCommand(replacePlaceholders(omitLine(block)))
  return hasNpm ? commands : replaceNpmRun(commands)
}

/** Returns the commands of a block without the lines that an instruction excludes. */
function omitLine(block: CodeBlock): string {
  const omitted = findInstruction(block, 'without')?.split(': ')[0]
  const lines = block.text.split('\n')
  if (omitted !== undefined && !lines.includes(omitted)) throw new Error(`The block has no line "${omitted}" to omit.`)
  return lines.filter((line) => line !== omitted).join('\n')
}

interface CommandContext {
  readonly commands: string
  readonly servers: Map<string, ChildProcess>
  readonly environment: PageEnvironment
}

interface CommandResult {
  /** Output of the commands. Undefined if the page shows the output for a different exit code. */
  readonly printed: string | undefined
  readonly problem?: string | undefined
}

async function runCommands(
  block: CodeBlock,
  { commands, servers, environment }: CommandContext,
): Promise<CommandResult> {
  const server = findInstruction(block, 'server')
  if (server !== undefined) {
    const [, name = '', ready = ''] = /^(\S+), ready when "(.+)"$/.exec(server) ?? []
    await end(servers.get(name))
    return startServer(commands, environment, { ready, keep: (child) => servers.set(name, child) })
  }
  const { exitCode, stdout, stderr } = await run(commands, environment)
  const expected = findInstruction(block, 'ends with') ?? '0'
  const problem = `exited with ${exitCode} instead of ${expected}:\n${stdout}\n${stderr}`
  return {
    // If the page permits several exit codes, it shows the output for the first one.
    printed: String(exitCode) === expected.split(' or ')[0] ? `${stdout}\n${stderr}` : undefined,
    problem: expected.split(' or ').includes(String(exitCode)) ? undefined : problem,
  }
}

function run(commands: string, { directory, env }: PageEnvironment) {
  return new Promise<{ exitCode: number | string; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: directory, env, timeout: BLOCK_TIMEOUT_MS }
    // Without --norc, Bash can read ~/.bashrc if its standard input is a socket, and change PATH.
    const child = execFile('bash', ['--norc', '-eo', 'pipefail', '-c', commands], options, (error, stdout, stderr) =>
      resolve({
        exitCode: error === null ? 0 : error.killed === true ? 'a timeout' : (error.code ?? ''),
        stdout,
        stderr,
      }),
    )
    child.stdin?.end()
  })
}

interface Readiness {
  /** Text that the server prints when it is ready. */
  readonly ready: string
  keep(child: ChildProcess): void
}

/** Starts a server in a new process group, because npm and the shell do not forward signals to it. */
async function startServer(
  commands: string,
  { directory, env }: PageEnvironment,
  { ready, keep }: Readiness,
): Promise<CommandResult> {
  const child = spawn('bash', ['-ec', commands], {
    cwd: directory,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  keep(child)
  let printed = ''
  const deadline = setTimeout(() => void end(child), BLOCK_TIMEOUT_MS)
  child.stderr.on('data', (data: Buffer) => (printed += data.toString()))
  for await (const data of child.stdout) {
    printed += String(data)
    if (printed.includes(ready)) {
      clearTimeout(deadline)
      child.stdout.resume()
      return { printed }
    }
  }
  clearTimeout(deadline)
  return { printed, problem: `exited without printing "${ready}":\n${printed}` }
}

async function end(server: ChildProcess | undefined): Promise<void> {
  if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'close')
  process.kill(-server.pid, 'SIGTERM')
  await ended
}

async function compare(
  block: CodeBlock,
  printed: string | undefined,
  { replacePlaceholders }: PageEnvironment,
): Promise<string | undefined> {
  // The commands were skipped, or the block is not compared. pages.docs.test.ts checks the list of these blocks.
  if (printed === undefined || !isOutputBlock(block)) return undefined
  const missing = findMissingLine(replacePlaceholders(block.text), printed)
  return missing === undefined ? undefined : `did not print "${missing}", but:\n${printed}`
}

/** Writes the file that a block contains, or applies the block's diff to the file. */
async function writeOrEditFile(
  block: CodeBlock,
  { directory, replacePlaceholders }: PageEnvironment,
): Promise<undefined> {
  const name = findInstruction(block, 'file')
  if (name !== undefined) await writeFile(join(directory, name), replacePlaceholders(block.text))
  const edited = findInstruction(block, 'edit')
  if (edited === undefined) return undefined
  const path = join(directory, edited)
  await writeFile(path, applyDiff(await readFile(path, 'utf8'), replacePlaceholders(block.text)))
}

/**
 * Applies a diff with one hunk and without line numbers: replaces its old lines in a text with its new lines.
 * @throws Error if the text does not contain the old lines
 */
function applyDiff(text: string, diff: string): string {
  const lines = (sign: string) =>
    diff
      .split('\n')
      .filter((line) => line.startsWith(sign) || line.startsWith(' '))
      .map((line) => line.slice(1))
      .join('\n')
  if (!text.includes(lines('-'))) throw new Error(`These lines are not in the file:\n${lines('-')}`)
  return text.replace(lines('-'), () => lines('+'))
}
