/** Statuses that servers send for an unknown path, or for a POST to a path that does not accept it. */
const UNKNOWN_PATH_STATUSES: readonly number[] = [404, 405, 501]

export function isUnknownPathStatus(status: number): boolean {
  return UNKNOWN_PATH_STATUSES.includes(status)
}
