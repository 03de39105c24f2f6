import type { StatusLine } from '../reports/status-line.ts'
import { countProgressCredits, type LoadPhase, type ProgressResult } from '../load/run-load.ts'

/** Description of each phase. */
export const PHASE_DESCRIPTIONS: Readonly<Record<LoadPhase['name'], string>> = {
  building: 'building k6 with the extension (once; one or two minutes where it was never built)',
  counting: 'having the target count the prompts',
  calibrating: 'measuring the error of this generator',
  running: 'running',
  comparing: "comparing with the emulator's record",
}

/**
 * Shows the phase of a run and its progress. Without a terminal, writes a line every ten seconds while k6 is built.
 */
export function createPhaseDisplay(status: StatusLine): (phase: LoadPhase) => void {
  let toldS = 0
  return ({ name, progress, elapsedS }) => {
    const far = progress ?? (elapsedS === undefined ? '' : `${elapsedS} s`)
    status.show(PHASE_DESCRIPTIONS[name], far === '' ? '' : ` · ${far}`)
    const atS = 10 * Math.floor((elapsedS ?? 0) / 10)
    if (name !== 'building' || atS <= toldS) return
    toldS = atS
    status.confirmRunning(`still building k6, ${atS} s`)
  }
}

/** Formats the progress of a run in one line. */
export function formatLoadProgress(progress: ProgressResult): string {
  const { atS, sent, failed, inFlight, ratePerS, ttftP50Ms, ttftP99Ms } = progress
  const ttft =
    ttftP50Ms === null || ttftP99Ms === null ? '' : ` · ttft ${Math.round(ttftP50Ms)}/${Math.round(ttftP99Ms)} ms`
  return `${atS} s · ${sent} sent · ${ratePerS}/s · ${inFlight} in flight${ttft} · ${failed} failed · ${countProgressCredits(progress)} credits`
}
