import { countCreditsOf, type LoadPhase, type ProgressResult } from '../scenarios/runner/run-load.ts'

/** What is going on, in words. */
export const PHASES: Readonly<Record<LoadPhase['name'], string>> = {
  building: 'building k6 with the extension (once; one or two minutes where it was never built)',
  counting: 'having the target count the prompts',
  calibrating: 'measuring the error of this generator against an emulator',
  running: 'running',
  comparing: "comparing with the emulator's record",
}

/** How a run is getting on, on one line. */
export function describeLoadProgress(progress: ProgressResult): string {
  const { atS, sent, failed, inFlight, ratePerS, ttftP50Ms, ttftP99Ms } = progress
  const ttft =
    ttftP50Ms === null || ttftP99Ms === null ? '' : ` · ttft ${Math.round(ttftP50Ms)}/${Math.round(ttftP99Ms)} ms`
  return `${atS} s · ${sent} sent · ${ratePerS}/s · ${inFlight} in flight${ttft} · ${failed} failed · ${countCreditsOf(progress)} credits`
}
