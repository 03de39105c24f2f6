import { SIGNALS } from './interrupt-command.ts'
import type { PhaseSetup } from './phase.ts'

type Signal = (typeof SIGNALS)[number]

/** Gives each phase a signal, in turn. The nightly tier, which sets TOUCHSTONE_LONG, tests each phase with all signals. */
export function withSignals(setUps: readonly (readonly [name: string, setUp: PhaseSetup])[]) {
  const isNightly = process.env['TOUCHSTONE_LONG'] === '1'
  return setUps.flatMap(([name, setUp], index) =>
    SIGNALS.filter((_, position) => isNightly || position === index % SIGNALS.length).map(
      (signal): [string, Signal, PhaseSetup] => [name, signal, setUp],
    ),
  )
}
