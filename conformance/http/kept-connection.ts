import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'

/** One keep-alive connection for consecutive requests, for as long as the target keeps it open. */
export interface KeptConnection {
  /** Keep-alive agent for the URL's scheme. */
  agentFor(url: string): HttpAgent
  close(): void
}

/** Connects at the first request. The caller must close it. */
export function keepConnection(): KeptConnection {
  const http = new HttpAgent({ keepAlive: true, maxSockets: 1 })
  const https = new HttpsAgent({ keepAlive: true, maxSockets: 1 })
  return {
    agentFor: (url) => (url.startsWith('https:') ? https : http),
    close() {
      http.destroy()
      https.destroy()
    },
  }
}
