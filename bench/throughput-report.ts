import { describeMachine } from './machine.ts'
import { printDocument } from './print-document.ts'
import type { RunStatistics } from './statistics.ts'
import { calculateRatio, type LoadGeneratorOptions, type ThroughputByServer } from './throughput.ts'

/**
 * Unit that a benchmark counts, such as events. `perRequest`: number of units in one response of a server (default: 1).
 */
interface Unit {
  readonly name: string
  readonly perRequest: ReadonlyMap<string, number>
}

interface ThroughputResult {
  readonly bench: string
  readonly load: LoadGeneratorOptions
  /** Measurements, keyed by server name. The first server is the emulator. */
  readonly measured: ThroughputByServer
  readonly unit: Unit
  /** Minimum ratio of the emulator's rate to the rate of a baseline server, keyed by that server's name. */
  readonly bounds: ReadonlyMap<string, number>
  /** File for the JSON, or undefined to print it only. */
  readonly out: string | undefined
}

/** Prints JSON, then one line per server. Sets the exit code to 1 if a ratio is below its bound. */
export function reportThroughput({ bench, load, measured, unit, bounds, out }: ThroughputResult): void {
  const compared = compare(measured, unit, bounds)
  printDocument({ bench, machine: describeMachine(), ...load, ...compared }, out)
  process.stdout.write(linesOf(bench, compared, unit))
  if (compared.ratios.some(({ atLeast, perS: { median } }) => median < (atLeast ?? 0))) process.exitCode = 1
}

type Compared = ReturnType<typeof compare>

/** Returns the figures of each server, and the ratios of the emulator's rate to the rate of each other server. */
function compare(
  measured: ThroughputByServer,
  { name: unitName, perRequest }: Unit,
  bounds: ReadonlyMap<string, number>,
) {
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
    return `${title}: ${formatStatistics(ratio)} of ${to}${bound}; per second of server CPU time: ${formatStatistics(perCpuS)}\n`
  })
  return `${title}: ${perS} ${name} per second\n${lines.join('')}`
}

function formatStatistics({ median, min: least, max: most }: RunStatistics): string {
  return `${median} (${least} to ${most})`
}
