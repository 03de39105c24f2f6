import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runConformance } from '../../conformance/run-conformance.ts'
import { startEmulator } from '../../emulator/start-emulator.ts'
import type { ConformanceDocument } from '../../reports/conformance-document.ts'
import { findMissingCommand, installPackages } from './install.ts'
import { listCauses, listFindings, listReviewedFindings, readReview } from './reviewed.ts'
import { THIRD_PARTY_SOFTWARE } from './software.ts'
import type { ThirdPartySoftware } from './third-party-software.ts'

// Runs the suite against third-party servers and compares the findings with reviewed lists. Installs the reviewed
// version of each program from its package registry, which needs a network connection and takes minutes.

/** Directory for the installed programs, or undefined for a temporary directory. A kept directory makes runs faster. */
const KEPT_DIRECTORY = process.env['TOUCHSTONE_GATEWAYS']

async function evaluate({
  id,
  source,
  emulator: options,
  start,
  options: optionsOf,
}: ThirdPartySoftware): Promise<ConformanceDocument> {
  const directory = join(KEPT_DIRECTORY ?? mkdtempSync(join(tmpdir(), 'gateways-')), id)
  mkdirSync(directory, { recursive: true })
  const commands = await installPackages(source, directory)
  await using emulator = await startEmulator(options ?? {})
  const place = { directory, commands: commands ?? '', upstreamUrl: emulator.url }
  await using server = await start(place)
  const { document } = await runConformance({ url: server.url, ...optionsOf(place) })
  if (KEPT_DIRECTORY !== undefined)
    writeFileSync(join(directory, 'conformance.json'), JSON.stringify(document, undefined, 2))
  return document
}

describe.each(THIRD_PARTY_SOFTWARE)('$title', (software) => {
  test('the findings of the gateway equal the reviewed list', async (context) => {
    const missing = findMissingCommand(software.source)
    if (missing !== undefined) context.skip(missing)
    const document = await evaluate(software)
    const reviewed = readReview(software.id)
    const random = new Set(listReviewedFindings(reviewed, { isRandom: true }))
    const found = listFindings(document).filter((finding) => !random.has(finding))
    expect(found.toSorted()).toEqual(listReviewedFindings(reviewed, { isRandom: false }).toSorted())
    expect(document.verdict).toBe(reviewed.verdict)
    if (random.size === 0) expect(listCauses(document)).toEqual(reviewed.causes)
  })
})
