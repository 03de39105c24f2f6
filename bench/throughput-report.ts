import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import type { Spread } from './statistics.ts'
import { calculateRatio, type Load, type Measured } from './throughput.ts'

/** The counted unit, and how many of them a response of each server has (default: one). */
interface Unit {
  readonly name: string
  readonly perRequest: ReadonlyMap<string, number>
}

/** Result of a throughput benchmark. */
interface Findings {
  readonly bench: string
  readonly load: Load
  /** Keyed by server; the emulator is the first. */
  readonly measured: Measured
  /** The same figures under load by wrk. They are shown, but have no bounds. */
  readonly byWrk?: Measured | undefined
  readonly unit: Unit
  /** Lower bounds of the ratio of the emulator to each server. */
  readonly bounds: ReadonlyMap<string, number>
  /** File for the JSON. */
  readonly out: string | undefined
}

/** Prints JSON, then one line per server. Sets the exit code to 1 if a bound is broken. */
export function report({ bench, load, measured, byWrk, unit, bounds, out }: Findings): void {
  const compared = compare(measured, unit, bounds)
  const others = byWrk === undefined ? {} : { byWrk: compare(byWrk, unit, new Map()) }
  printDocument({ bench, machine: describeMachine(), ...load, ...compared, ...others }, out)
  process.stdout.write(linesOf(bench, compared, unit))
  if (others.byWrk !== undefined) process.stdout.write(linesOf(`${bench}: by wrk`, others.byWrk, unit))
  if (compared.ratios.some(({ atLeast, perS: { median } }) => median < (atLeast ?? 0))) process.exitCode = 1
}

type Compared = ReturnType<typeof compare>

/** Figures of each server, and the ratio of the emulator to each other server. */
function compare(measured: Measured, { name: unitName, perRequest }: Unit, bounds: ReadonlyMap<string, number>) {
  const [[, ours] = ['', undefined], ...others] = measured
  if (ours === undefined) throw new Error('nothing was measured')
  const perRequestOf = (name: string) => perRequest.get(name) ?? 1
  const ratios = others.map(([name, theirs]) => {
    const factor = perRequestOf('emulator') / perRequestOf(name)
    return {
      to: name,
      atLeast: bounds.get(name) ?? null,
      perS: calculateRatio(ours.samples, theirs.samples, 'requestsPerS', factor),
      perCpuS: calculateRatio(ours.samples, theirs.samples, 'requestsPerCpuS', factor),
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
