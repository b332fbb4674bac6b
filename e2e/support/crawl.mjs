// Follows every link of a site: pages, anchors, pictures, files, and what the
// site has for programs.

const parallel = 8;
const entities = { amp: '&', lt: '<', gt: '>', quot: '"', '#34': '"', '#39': "'", '#43': '+' };

// Returns the pages found, how many addresses were looked at, and the dead ones
// with the page that each stands on.
export async function crawl(start, headers = {}) {
  const base = new URL(start);
  const within = (url) => url.host === base.host && (url.pathname === base.pathname || url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`));
  const seen = new Map();
  const anchors = [];
  const dead = [];
  const waiting = [];

  function meet(address, on) {
    let url;
    try {
      url = new URL(address, on);
    } catch {
      dead.push({ on, address, reason: 'is no address' });
      return;
    }
    if (url.host !== base.host || !/^https?:$/.test(url.protocol)) {
      return;
    }
    const anchor = decodeURIComponent(url.hash.slice(1));
    url.hash = '';
    if (anchor) {
      anchors.push({ on, target: url.href, anchor });
    }
    if (!within(url)) {
      dead.push({ on, address: url.href, reason: 'lies outside of the site' });
    } else if (!seen.has(url.href)) {
      seen.set(url.href, undefined);
      waiting.push({ address: url.href, on });
    }
  }

  async function visit({ address, on }) {
    const response = await fetch(address, { headers });
    const text = await response.text();
    const page = { status: response.status, ids: new Set(), isPage: false };
    seen.set(address, page);
    if (!response.ok) {
      dead.push({ on, address, reason: `answers ${response.status}` });
      return;
    }
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/html')) {
      page.isPage = true;
      for (const [, name, value] of text.matchAll(/\s(id|href|src)="([^"]*)"/g)) {
        if (name === 'id') {
          page.ids.add(plain(value));
        } else {
          meet(plain(value), response.url);
        }
      }
    } else if (address.endsWith('/sitemap.xml')) {
      for (const [, location] of text.matchAll(/<loc>([^<]*)<\/loc>/g)) {
        meet(plain(location), address);
      }
    } else if (address.endsWith('/llms.txt')) {
      for (const [, location] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        meet(location, address);
      }
    } else if (address.endsWith('/rss.xml')) {
      for (const [, location] of text.matchAll(/<link>([^<]*)<\/link>/g)) {
        meet(plain(location), address);
      }
    }
  }

  for (const path of ['', '/sitemap.xml', '/llms.txt', '/llms-full.txt', '/robots.txt']) {
    meet(base.href.replace(/\/$/, '') + path, base.href);
  }
  while (waiting.length > 0) {
    await Promise.all(Array.from({ length: parallel }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await visit(next);
      }
    }));
  }
  for (const { on, target, anchor } of anchors) {
    const page = seen.get(target);
    if (page?.isPage && !page.ids.has(anchor)) {
      dead.push({ on, address: `${target}#${anchor}`, reason: 'there is no such anchor' });
    }
  }
  const pages = [...seen].filter(([, page]) => page.isPage && page.status === 200).map(([address]) => address);
  return { pages, checked: seen.size + anchors.length, dead };
}

function plain(text) {
  return text.replaceAll(/&([a-z]+|#\d+);/g, (whole, name) => entities[name] ?? (name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : whole));
}
