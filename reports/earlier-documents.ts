import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { WrittenFile } from './console/render-written-files.ts'

const compress = promisify(gzip)

/** Name of the directory for replaced documents, next to the current document. */
export const EARLIER_DIRECTORY = 'earlier'

export const EARLIER_LIMITS = { documents: 100, bytes: 50_000_000 } as const

/** Matches the name of a replaced document, which ends with the time at which the document was written. */
const EARLIER_NAME = /-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)\.json(?:\.gz)?$/

/** Copies a document that a new one replaces to `earlier/`, as gzip, with the time of the copied one in its name. */
export async function keepEarlierDocument(path: string): Promise<void> {
  const earlier = await stat(path).catch(() => undefined)
  if (earlier?.isFile() !== true) return
  const writtenAt = earlier.mtime.toISOString().replaceAll(':', '-')
  const directory = join(dirname(path), EARLIER_DIRECTORY)
  await mkdir(directory, { recursive: true })
  const copy = join(directory, `${basename(path, '.json')}-${writtenAt}.json.gz`)
  try {
    await writeFile(copy, await compress(await readFile(path)), { flush: true })
  } catch (error) {
    await rm(copy, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Removes the oldest documents of `earlier/` beyond the limits. Returns the number of removed ones. */
export async function removeOldestDocuments(
  directory: string,
  limits: Readonly<Record<keyof typeof EARLIER_LIMITS, number>> = EARLIER_LIMITS,
): Promise<number> {
  const place = join(directory, EARLIER_DIRECTORY)
  const names = (await readdir(place).catch(() => [])).filter((name) => EARLIER_NAME.test(name))
  let [bytes, removed] = [0, 0]
  for (const [index, name] of names.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a))).entries()) {
    bytes += (await stat(join(place, name)).catch(() => undefined))?.size ?? 0
    if (index < limits.documents && bytes <= limits.bytes) continue
    removed += await rm(join(place, name)).then(
      () => 1,
      () => 0,
    )
  }
  return removed
}

function timeOf(name: string): string {
  return EARLIER_NAME.exec(name)?.[1] ?? ''
}

/** Describes the documents that a run removed from `earlier/`, for the last lines of its report. */
export function describeRemovedDocuments(removed: number, directory: string): WrittenFile[] {
  if (removed === 0) return []
  const { documents, bytes } = EARLIER_LIMITS
  const what = `Earlier documents, at most ${documents} and ${bytes / 1_000_000} MB (${removed === 1 ? 'the oldest was' : `the oldest ${removed} were`} removed)`
  return [{ what, paths: [join(directory, EARLIER_DIRECTORY)] }]
}
