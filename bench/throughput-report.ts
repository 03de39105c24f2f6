import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import type { Spread } from './statistics.ts'
import { ratioOf, type Load, type Measured } from './throughput.ts'

/** What a bench of throughput found. */
interface Findings {
  readonly bench: string
  readonly load: Load
  /** By name of the server; the emulator is the first. */
  readonly measured: Measured
  /** What is counted, and how many of them an answer of each server has, if not one. */
  readonly unit: { readonly name: string; readonly perRequest: ReadonlyMap<string, number> }
  /** The least that the emulator may be of each server. */
  readonly bounds: ReadonlyMap<string, number>
  /** File for the JSON. */
  readonly out: string | undefined
}

/** Prints JSON, then a line for each server; sets the exit code to 1 where a bound is broken. */
export function report({ bench, load, measured, unit, bounds, out }: Findings): void {
  const [[, ours] = ['', undefined], ...others] = measured
  if (ours === undefined) throw new Error('nothing was measured')
  const perRequest = (name: string) => unit.perRequest.get(name) ?? 1
  const ratios = others.map(([name, theirs]) => {
    const factor = perRequest('emulator') / perRequest(name)
    return {
      to: name,
      atLeast: bounds.get(name) ?? null,
      perS: ratioOf(ours.samples, theirs.samples, 'requestsPerS', factor),
      perCpuS: ratioOf(ours.samples, theirs.samples, 'requestsPerCpuS', factor),
    }
  })
  const servers = [...measured].map(([name, { figures }]) => ({
    name,
    [`${unit.name}PerRequest`]: perRequest(name),
    ...figures,
  }))
  const document = { bench, machine: describeMachine(), ...load, servers, ratios }
  printDocument(document, out)
  const perS = ours.figures.requestsPerS.median * perRequest('emulator')
  process.stdout.write(`${bench}: ${perS} ${unit.name} per second\n`)
  for (const { to, atLeast, perS: ratio, perCpuS } of ratios) {
    const bound = atLeast === null ? '' : `, at least ${atLeast}`
    process.stdout.write(`${bench}: ${tell(ratio)} of ${to}${bound}; by the server's own CPU time ${tell(perCpuS)}\n`)
  }
  if (ratios.some(({ atLeast, perS: { median } }) => median < (atLeast ?? 0))) process.exitCode = 1
}

function tell({ median, least, most }: Spread): string {
  return `${median} (${least} to ${most})`
}
