import { execFileSync } from 'node:child_process'
import { roundTo } from './statistics.ts'

/**
 * Reads the resident memory of a process, in bytes.
 * @throws Error if there is no such process
 */
export function readResidentBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}

/** Reads the resident memory of a process, in MB of 10⁶ bytes, rounded to one decimal place. */
export function readResidentMb(pid: number): number {
  return roundTo(readResidentBytes(pid) / 1e6, 1)
}
