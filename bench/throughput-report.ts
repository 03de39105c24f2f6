import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import type { Spread } from './statistics.ts'
import { ratioOf, type Load, type Measured } from './throughput.ts'

/** What is counted, and how many of them an answer of each server has, if not one. */
interface Unit {
  readonly name: string
  readonly perRequest: ReadonlyMap<string, number>
}

/** What a bench of throughput found. */
interface Findings {
  readonly bench: string
  readonly load: Load
  /** By name of the server; the emulator is the first. */
  readonly measured: Measured
  /** The same, loaded by wrk: it is shown, and has no bounds. */
  readonly byWrk?: Measured | undefined
  readonly unit: Unit
  /** The least that the emulator may be of each server. */
  readonly bounds: ReadonlyMap<string, number>
  /** File for the JSON. */
  readonly out: string | undefined
}

/** Prints JSON, then a line for each server; sets the exit code to 1 where a bound is broken. */
export function report({ bench, load, measured, byWrk, unit, bounds, out }: Findings): void {
  const compared = compare(measured, unit, bounds)
  const others = byWrk === undefined ? {} : { byWrk: compare(byWrk, unit, new Map()) }
  printDocument({ bench, machine: describeMachine(), ...load, ...compared, ...others }, out)
  process.stdout.write(linesOf(bench, compared, unit))
  if (others.byWrk !== undefined) process.stdout.write(linesOf(`${bench}: by wrk`, others.byWrk, unit))
  if (compared.ratios.some(({ atLeast, perS: { median } }) => median < (atLeast ?? 0))) process.exitCode = 1
}

type Compared = ReturnType<typeof compare>

/** The figures of each server, and the emulator's by those of each other. */
function compare(measured: Measured, { name: unitName, perRequest }: Unit, bounds: ReadonlyMap<string, number>) {
  const [[, ours] = ['', undefined], ...others] = measured
  if (ours === undefined) throw new Error('nothing was measured')
  const perRequestOf = (name: string) => perRequest.get(name) ?? 1
  const ratios = others.map(([name, theirs]) => {
    const factor = perRequestOf('emulator') / perRequestOf(name)
    return {
      to: name,
      atLeast: bounds.get(name) ?? null,
      perS: ratioOf(ours.samples, theirs.samples, 'requestsPerS', factor),
      perCpuS: ratioOf(ours.samples, theirs.samples, 'requestsPerCpuS', factor),
    }
  })
  const servers = [...measured].map(([name, { figures }]) => ({
    name,
    [`${unitName}PerRequest`]: perRequestOf(name),
    ...figures,
  }))
  return { servers, ratios }
}

function linesOf(title: string, { servers, ratios }: Compared, { name, perRequest }: Unit): string {
  const perS = (servers[0]?.requestsPerS.median ?? Number.NaN) * (perRequest.get('emulator') ?? 1)
  const lines = ratios.map(({ to, atLeast, perS: ratio, perCpuS }) => {
    const bound = atLeast === null ? '' : `, at least ${atLeast}`
    return `${title}: ${tell(ratio)} of ${to}${bound}; by the server's own CPU time ${tell(perCpuS)}\n`
  })
  return `${title}: ${perS} ${name} per second\n${lines.join('')}`
}

function tell({ median, least, most }: Spread): string {
  return `${median} (${least} to ${most})`
}
