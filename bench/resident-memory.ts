import { execFileSync } from 'node:child_process'
import { round } from './statistics.ts'

/** Resident memory of a process in bytes, as the system tells it. @throws where there is no such process */
export function residentBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}

/** The same in MB of 10⁶ bytes. */
export function residentMb(pid: number): number {
  return round(residentBytes(pid) / 1e6, 1)
}
