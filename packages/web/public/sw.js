// Shows pushes and opens the pages that they lead to. It caches nothing: the pages need the server anyway.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('push', (event) => {
  const { title = 'Yardmaster', body, url = '/inbox', tag } = event.data?.json() ?? {}
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: { url }, icon: '/icon-192.png' }))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.url ?? '/inbox'))
})

async function open(url) {
  const [page] = await self.clients.matchAll({ type: 'window' })
  if (!page) return self.clients.openWindow(url)
  // A browser may refuse to bring the window to the front; the page opens in any case.
  await page.focus().catch(() => {})
  await page.navigate(url)
}
