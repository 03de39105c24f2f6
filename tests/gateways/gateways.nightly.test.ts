import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { ConformanceDocument } from '../../reports/conformance-document.ts'
import { findMissing, install } from './install.ts'
import { listCauses, listFindings, listReviewed, readReview } from './reviewed.ts'
import { type Software, SOFTWARE } from './software.ts'

// Judges programs that other people wrote, and compares the findings with lists that a person has reviewed. Each program is
// installed from its registry, with the version that was reviewed: needs the network, and minutes.

/** Keeps what was installed, if it names a directory: a second run is quicker. */
const KEPT = process.env['TOUCHSTONE_GATEWAYS']

async function judge({
  id,
  source,
  emulator: options,
  start,
  options: optionsOf,
}: Software): Promise<ConformanceDocument> {
  const directory = join(KEPT ?? mkdtempSync(join(tmpdir(), 'gateways-')), id)
  mkdirSync(directory, { recursive: true })
  const commands = await install(source, directory)
  await using emulator = await startEmulator(options ?? {})
  const place = { directory, commands: commands ?? '', upstreamUrl: emulator.url }
  await using server = await start(place)
  const { document } = await runConformance({ url: server.url, ...optionsOf(place) })
  if (KEPT !== undefined) writeFileSync(join(directory, 'conformance.json'), JSON.stringify(document, undefined, 2))
  return document
}

describe.each(SOFTWARE)('$title', (software) => {
  test('has the findings that were reviewed, and no others', async (context) => {
    const missing = findMissing(software.source)
    if (missing !== undefined) context.skip(missing)
    const document = await judge(software)
    const reviewed = readReview(software.id)
    const random = new Set(listReviewed(reviewed, { isRandom: true }))
    const found = listFindings(document).filter((finding) => !random.has(finding))
    expect(found.toSorted()).toEqual(listReviewed(reviewed, { isRandom: false }).toSorted())
    expect(document.verdict).toBe(reviewed.verdict)
    if (random.size === 0) expect(listCauses(document)).toEqual(reviewed.causes)
  })
})
