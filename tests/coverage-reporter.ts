import { relative } from 'node:path'
import type { Reporter } from 'vitest/node'

/** How much there is of something, and how much of it was run. */
interface Share {
  readonly total: number
  readonly covered: number
}

/** What of one file was run. */
export interface FileCoverage {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly statements: Share
  readonly branches: Share
}

/** Files of which fewer statements than this were run, in per cent, are named. */
const LITTLE_PERCENT = 90
const MOST_NAMED = 30

/** Says after a run with `--coverage` what share of each folder was run, and of which files the least. */
export function coverageReporter(root: string): Reporter {
  return {
    onCoverage(coverage) {
      process.stdout.write(`\n${renderCoverage(filesOf(coverage as CoverageMap, root))}\n`) // of istanbul-lib-coverage
    },
  }
}

/** A table of folders, in Markdown as the documents have it, and the files with the least. */
export function renderCoverage(files: readonly FileCoverage[]): string {
  const folders = Map.groupBy(files, ({ path }) => folderOf(path))
  const rows = [...folders].toSorted(([a], [b]) => a.localeCompare(b)).map(([folder, some]) => row(folder, some))
  const little = files
    .filter(({ statements }) => percent(statements) < LITTLE_PERCENT)
    .toSorted((a, b) => percent(a.statements) - percent(b.statements))
  const named = little.slice(0, MOST_NAMED).map(({ path, statements }) => {
    return `  ${percent(statements).toFixed(0)} %  ${path} (${statements.total - statements.covered} statements were not run)`
  })
  const head = ['| folder | files | statements | branches |', '|---|---|---|---|']
  const list = named.length === 0 ? [] : ['', `Files of which less than ${LITTLE_PERCENT} % was run:`, ...named]
  return [...head, ...rows, row('all', files), ...list].join('\n')
}

/** The first two folders of a path; of the emulator and the like, that is a room of theirs. */
function folderOf(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 2).join('/')
}

function row(name: string, files: readonly FileCoverage[]): string {
  const share = (of: 'statements' | 'branches') =>
    `${percent({ total: sum(files.map((file) => file[of].total)), covered: sum(files.map((file) => file[of].covered)) }).toFixed(1)} %`
  return `| ${name} | ${files.length} | ${share('statements')} | ${share('branches')} |`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Of nothing, all was run. */
function percent({ total, covered }: Share): number {
  return total === 0 ? 100 : (covered * 100) / total
}

/** As far as it is used here. */
interface CoverageMap {
  files(): string[]
  fileCoverageFor(path: string): {
    toSummary(): { readonly data: Readonly<Record<'statements' | 'branches', Share>> }
  }
}

function filesOf(coverage: CoverageMap, root: string): FileCoverage[] {
  return coverage.files().map((file) => {
    const { statements, branches } = coverage.fileCoverageFor(file).toSummary().data
    return { path: relative(root, file).replaceAll('\\', '/'), statements, branches }
  })
}
