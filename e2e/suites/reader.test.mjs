import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import AxeBuilder from '@axe-core/playwright';
import { artifacts, startBrowser, Watch } from '../support/browser.mjs';
import { crawl } from '../support/crawl.mjs';
import { corpora, handbook, ownDocumentation, Team } from '../support/documentation.mjs';
import { startServer } from '../support/server.mjs';

const widths = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };
const themes = ['light', 'dark'];
const pictures = path.join(artifacts, 'reader');

// What a site may look like beyond the defaults, its pictures at another host.
const settings = (host) => ({
  title: 'Harbour docs',
  header: {
    preset: 'default',
    logo: { light: `${host}/logo.svg`, dark: `${host}/logo.svg` },
    links: [
      { title: 'Source', to: { kind: 'url', url: 'https://example.com/source' }, links: [] },
      { title: 'More', to: null, links: [{ title: 'Help', to: { kind: 'url', url: 'https://example.com/help' } }] },
    ],
  },
  footer: { groups: [{ title: 'Harbour', links: [{ title: 'Terms', to: { kind: 'url', url: 'https://example.com/terms' } }] }], copyright: '© 2026 The harbour' },
  announcement: { enabled: true, message: 'The west berth is open.', style: 'info', link: { title: 'Read on', to: { kind: 'url', url: 'https://example.com/west' } } },
  favicon: { emoji: '2693' },
});

describe('a published site in a browser', () => {
  let server;
  let browser;
  let elsewhere;
  let team;
  let site;
  const spaces = {};
  before(async () => {
    elsewhere = await serveLogo();
    server = await startServer(undefined, { OCTAVO_ALLOW_PRIVATE_NETWORK: 'true' });
    browser = await startBrowser();
    await mkdir(pictures, { recursive: true });
    team = new Team(server);
    spaces.handbook = await team.import('Handbook', handbook);
    spaces.current = await team.import('Octavo 2', ownDocumentation);
    spaces.former = await team.import('Octavo 1', ownDocumentation);
    const sections = [
      { title: 'Handbook', spaces: [spaces.handbook] },
      { title: 'Octavo', spaces: [spaces.current, spaces.former] },
    ];
    for (const corpus of corpora) {
      const name = path.basename(corpus);
      spaces[name] = await team.import(name, corpus);
      sections.push({ title: name, spaces: [spaces[name]] });
    }
    site = await team.publish('Harbour docs', 'public', sections, settings(elsewhere.url));
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    elsewhere?.close();
  });

  let contexts;
  let watches;
  beforeEach(() => {
    contexts = [];
    watches = [];
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    watches.forEach((watch) => watch.verify());
  });

  // Opens a page in a browser of its own, at an address of the site.
  async function open(location, { device = 'desktop', ...options } = {}) {
    const context = await browser.newContext({ viewport: widths[device], hasTouch: device === 'phone', ...options });
    const watch = new Watch(context, server.url);
    await watch.ready;
    contexts.push(context);
    watches.push(watch);
    const page = await context.newPage();
    await page.goto(at(location));
    return { context, page, watch };
  }

  function at(location) {
    return location.startsWith('http') ? location : `${site.url}${location}`;
  }

  const heading = (page) => page.locator('main h1').first().textContent();

  test('is browsed by sections, variants, navigation, neighbours and links', async () => {
    const { page } = await open('');
    assert.equal(await heading(page), 'Harbour handbook');
    assert.equal(await page.title(), 'Harbour handbook | Harbour docs');
    await page.locator('.logo').first().evaluate((image) => image.decode());

    await page.getByRole('link', { name: 'Every block', exact: true }).first().click();
    await page.waitForURL(at('/blocks'));
    await page.locator('.contents').getByRole('link', { name: 'Steps' }).click();
    await page.waitForURL(at('/blocks#steps'));
    await page.locator('.contents a[aria-current]', { hasText: 'Steps' }).waitFor();
    const top = await page.locator('#steps').evaluate((element) => element.getBoundingClientRect().top);
    const covered = await page.locator('.sections').evaluate((element) => element.getBoundingClientRect().bottom);
    assert.ok(top >= covered, 'what a link leads to does not lie under the header');

    await page.locator('.document').getByRole('link', { name: 'link with a title' }).click();
    await page.waitForURL(at('/blocks/tables'));
    await page.locator('.breadcrumbs').getByRole('link', { name: 'Every block' }).click();
    await page.waitForURL(at('/blocks'));
    await page.locator('.pagination .next').click();
    await page.waitForURL(at('/blocks/tables'));
    await page.locator('.pagination .previous').click();
    await page.waitForURL(at('/blocks'));

    await page.locator('.sections').getByRole('link', { name: 'Octavo' }).click();
    await page.waitForURL(at('/octavo'));
    assert.equal(await heading(page), 'Octavo');
    await page.locator('.variants summary').click();
    await page.locator('.variants').getByRole('link', { name: 'Octavo 1' }).click();
    await page.waitForURL(at('/octavo/octavo-1'));
    await page.locator('.tree').getByRole('link', { name: 'The two APIs' }).click();
    await page.waitForURL(at('/octavo/octavo-1/use/apis'));
    assert.equal(await page.locator('.tree [aria-current=page]').textContent(), 'The two APIs');
    assert.equal(await page.locator('.variants summary').textContent(), 'Variant: Octavo 1');

    await page.locator('.header-links summary').click();
    assert.equal(await page.locator('.header-links .menu').getByRole('link', { name: 'Help' }).getAttribute('href'), 'https://example.com/help');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.header-links .menu').evaluate((menu) => menu.open), false);
    assert.equal(await page.locator('.announcement').textContent(), 'The west berth is open. Read on');
    assert.equal(await page.locator('.copyright').textContent(), '© 2026 The harbour');
  });

  test('is searched with the keyboard alone', async () => {
    const { page } = await open('');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
    await page.keyboard.type('berth');
    await page.locator('[role=option]').nth(1).waitFor();
    assert.equal(await page.locator('[aria-selected=true]').count(), 1);
    await page.keyboard.press('ArrowDown');
    const chosen = page.locator('[role=option][aria-selected=true]');
    const target = await chosen.getAttribute('href');
    assert.equal(await page.getByRole('combobox').getAttribute('aria-activedescendant'), await chosen.getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.waitForURL(new URL(target, site.url).href);

    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothingiscalledso');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.search-dialog').evaluate((dialog) => dialog.open), false);
  });

  test('keeps the colours that a reader chose', async () => {
    const { page } = await open('');
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByRole('button', { name: 'Change colours' }).click();
    const dark = await background();
    assert.notEqual(dark, light);
    await page.reload();
    assert.equal(await background(), dark);
    await page.goto(at('/blocks'));
    assert.equal(await background(), dark);
    const chart = (variant) => page.locator(`.images img[src*="chart-${variant}.svg"]`);
    assert.equal(await chart('light').isVisible(), false);
    await chart('dark').scrollIntoViewIfNeeded();
    await chart('dark').evaluate((image) => image.decode());
  });

  test('copies code and whole pages', async () => {
    const { page } = await open('/blocks', { permissions: ['clipboard-read', 'clipboard-write'] });
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    const figure = page.locator('figure.code', { hasText: 'config/harbour.yaml' });
    await figure.hover();
    await figure.getByRole('button', { name: 'Copy' }).click();
    await figure.getByRole('button', { name: '✓' }).waitFor();
    assert.match(await clipboard(), /^# Where ships are moored\nberths:\n {2}- name: north\n/);
    await page.getByRole('button', { name: 'Copy page' }).click();
    await page.locator('.actions .done').waitFor();
    assert.equal(await clipboard(), await (await fetch(at('/blocks.md'))).text());
  });

  test('has tabs, expandables and notes that the keyboard works', async () => {
    const { page } = await open('/blocks');
    await page.getByRole('tab', { name: 'Linux' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('brew install harbour').waitFor();
    assert.equal(await page.getByRole('tab', { name: 'macOS' }).getAttribute('aria-selected'), 'true');
    assert.equal(await page.getByText('apt-get install harbour').isVisible(), false);

    const answer = page.getByText('The water goes away');
    assert.equal(await answer.isVisible(), false);
    await page.locator('summary', { hasText: 'low tide' }).focus();
    await page.keyboard.press('Enter');
    await answer.waitFor();

    await page.getByRole('button', { name: 'note', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('And a second paragraph.').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByText('And a second paragraph.').isVisible(), false);
  });

  test('shows a merge with the next request, and leads from where a page was', async () => {
    const space = await team.import('Tides', handbook);
    const tides = await team.publish('Tides', 'unlisted', [{ title: 'Tides', spaces: [space] }]);
    const { page, watch } = await open(`${tides.url}/changelog`);
    const { pages } = await team.call('GET', `/spaces/${space}/content/pages`);
    const changelog = pages.find(({ title }) => title === 'Changelog');
    await team.merge(space, 'Tell what is new', [{ operation: 'update_page', page: changelog.id, document: { markdown: 'Nothing is new.\n' } }]);
    await page.reload();
    assert.equal(await page.locator('.document').textContent(), 'Nothing is new.');

    await team.merge(space, 'Call it news', [{ operation: 'update_page', page: changelog.id, slug: 'news', title: 'News' }]);
    await page.reload();
    assert.equal(page.url(), `${tides.url}/news`, 'the old address leads to the new one');
    assert.equal(await heading(page), 'News');

    const missing = `${tides.url}/handbook/old-tables`;
    watch.expect(missing);
    const response = await page.goto(missing);
    assert.equal(response.status(), 404);
    await page.locator('main').getByRole('link', { name: 'Cards and tables' }).click();
    await page.waitForURL(`${tides.url}/blocks/tables`);
  });

  test('is read with the key of a share link until it is revoked', async () => {
    const shared = await team.publish('Shared', 'share-link', [{ title: 'Shared', spaces: [spaces.handbook] }]);
    const bare = `${server.url}/sites/${(await team.call('GET', shared.target)).basename}`;
    const link = await team.call('POST', `${shared.target}/share-links`, { name: 'Friends' });
    const { page, watch } = await open(link.urls.published);
    assert.equal(await heading(page), 'Harbour handbook');
    await page.locator('.tree').getByRole('link', { name: 'Changelog' }).click();
    await page.waitForURL(`${link.urls.published}/changelog`);
    await page.locator('.document img').first().evaluate((image) => image.decode());

    watch.expect(bare);
    watch.expect(page.url());
    assert.equal((await page.goto(bare)).status(), 404, 'nobody gets in without the key');
    await team.call('PATCH', `${shared.target}/share-links/${link.id}`, { active: false });
    assert.equal((await page.goto(`${link.urls.published}/changelog`)).status(), 404, 'nor with one that was revoked');
  });

  test('is read with a token of the site, which stays in a cookie', async () => {
    const closed = await team.publish('Closed', 'visitor-auth', [{ title: 'Closed', spaces: [spaces.handbook] }]);
    await team.call('PATCH', closed.target, { adaptiveContent: { enabled: true } });
    await team.call('PUT', `${closed.target}/adaptive-schema`, {
      jsonSchema: { type: 'object', additionalProperties: false, properties: { unsigned: { type: 'object', description: 'Unsigned claims of the site visitor.', additionalProperties: false, properties: { captain: { type: 'boolean', description: 'Is a captain' } } } } },
    });
    const { privateKey } = await team.call('GET', `${closed.target}/publishing/auth`);
    const { page, context, watch } = await open('');
    watch.expect(`${closed.url}/blocks`);
    assert.equal((await page.goto(`${closed.url}/blocks`)).status(), 404, 'nobody gets in without a token');

    await page.goto(`${closed.url}/blocks?jwt_token=${sign({ exp: Math.floor(Date.now() / 1000) + 600 }, privateKey)}`);
    assert.equal(page.url(), `${closed.url}/blocks`, 'the token leaves the address');
    assert.equal(await heading(page), 'Every block');
    const [cookie] = await context.cookies(`${closed.url}/`);
    assert.equal(cookie.httpOnly, true);
    assert.equal(await page.getByText('Only captains read this.').count(), 0);

    await page.goto(`${closed.url}/blocks?visitor.captain=true`);
    await page.getByText('Only captains read this.').waitFor();
    await page.locator('.tree').getByRole('link', { name: 'Changelog' }).click();
    await page.waitForURL(`${closed.url}/changelog`);
    await page.locator('.document img').first().evaluate((image) => image.decode());
  });

  test('is navigated on a phone', async () => {
    const { page } = await open('/octavo/use/apis', { device: 'phone' });
    const link = page.locator('.tree').getByRole('link', { name: 'Subscriptions' });
    assert.equal(await link.isVisible(), false, 'the navigation does not cover the page');
    await page.mouse.wheel(0, 1200);
    await page.locator('.navigation-toggle summary').tap();
    await link.tap();
    await page.waitForURL(at('/octavo/use/apis/subscriptions'));
    await page.getByRole('link', { name: 'Search' }).tap();
    await page.keyboard.type('merge');
    await page.locator('[role=option]').first().tap();
    await page.waitForURL(/\/octavo\//);
  });

  test('works without scripts', async () => {
    for (const device of Object.keys(widths)) {
      const { page } = await open('/blocks', { device, javaScriptEnabled: false });
      for (const text of ['apt-get install harbour', 'brew install harbour', 'Run the installer']) {
        assert.equal(await page.getByText(text).isVisible(), true, 'every tab is read');
      }
      await page.locator('summary', { hasText: 'low tide' }).click();
      assert.equal(await page.getByText('The water goes away').isVisible(), true);
      if (device === 'phone') {
        await page.locator('.navigation-toggle summary').click();
      }
      await page.locator('.tree').getByRole('link', { name: 'The berth API' }).click();
      await page.waitForURL(at('/reference/api'));
      if (device === 'phone') {
        await page.getByRole('link', { name: 'Search' }).click();
        await page.locator('main').getByRole('searchbox').fill('tides');
      } else {
        await page.getByRole('searchbox', { name: 'Search' }).fill('tides');
      }
      await page.keyboard.press('Enter');
      await page.waitForURL(/search\?q=tides/);
      await page.locator('.results').getByRole('link', { name: 'Every block' }).click();
      await page.waitForURL(at('/blocks'));
    }
  });

  // The kinds of page, each with what is done on it before it is looked at.
  const kinds = [
    { name: 'home', location: '' },
    { name: 'blocks', location: '/blocks' },
    { name: 'tables', location: '/blocks/tables' },
    { name: 'changelog', location: '/changelog' },
    { name: 'api', location: '/reference/api', act: (page) => page.locator('.api-response').evaluateAll((all) => all.forEach((response) => { response.open = true; })) },
    { name: 'own-documentation', location: '/octavo/use/guide' },
    { name: 'variants', location: '/octavo', act: async (page, device) => { await (device === 'phone' && page.locator('.navigation-toggle summary').click()); await page.locator('.variants summary').click(); } },
    { name: 'note', location: '/blocks', act: (page) => page.getByRole('button', { name: 'note', exact: true }).click() },
    { name: 'search-results', location: '/~octavo/search?q=berth' },
    { name: 'search-dialog', location: '/octavo', act: async (page) => { await page.keyboard.press('Control+k'); await page.keyboard.type('merge'); await page.locator('[role=option]').first().waitFor(); } },
    { name: 'missing', location: '/old/tables' },
    { name: 'no-site', location: 'none' },
    ...corpora.map((corpus) => ({ name: path.basename(corpus), location: `/${path.basename(corpus)}` })),
  ];
  for (const theme of themes) {
    for (const device of Object.keys(widths)) {
      test(`has nothing against it for those who need help, ${theme}, on a ${device}`, async () => {
        const { page, watch } = await open('', { device, colorScheme: theme, reducedMotion: 'reduce' });
        await page.evaluate((chosen) => localStorage.setItem('octavo-theme', chosen), theme);
        for (const { name, location, act } of kinds) {
          const target = at(location === 'none' ? `${server.url}/sites/none` : location);
          if (isMissing(location)) {
            watch.expect(target);
          }
          await page.goto(target);
          await act?.(page, device);
          assert.deepEqual(await grave(page), [], name);
          assert.equal(await sideways(page), 0, `${name} is not scrolled sideways`);
          await page.screenshot({ path: path.join(pictures, `${name}-${device}-${theme}.png`), fullPage: act === undefined });
        }
      });
    }
  }

  // What a customization can make of the frame of a page.
  const looks = {
    bold: (styling) => ({ styling: { ...styling, theme: 'bold' } }),
    muted: (styling) => ({ styling: { ...styling, theme: 'muted', corners: 'circular', sidebar: { background: 'filled', list: 'pill' } } }),
    gradient: (styling) => ({ styling: { ...styling, theme: 'gradient', corners: 'straight', links: 'accent', sidebar: { background: 'default', list: 'line' } } }),
    contrast: (styling) => ({ header: { preset: 'contrast' }, styling: { ...styling, background: 'match', font: 'Merriweather' } }),
    custom: (styling) => ({
      header: { preset: 'custom', backgroundColor: { light: '#ffe08a', dark: '#5a3d00' }, linkColor: { light: '#ffcc00', dark: '#664400' } },
      styling: { ...styling, primaryColor: { light: '#ffd500', dark: '#222200' } },
    }),
  };
  test('is readable however it is made to look', async () => {
    const dressed = await team.publish('Dressed', 'unlisted', [{ title: 'Dressed', spaces: [spaces.handbook] }]);
    const plain = await team.call('GET', `${dressed.target}/customization`);
    const links = ['link', 'button-primary', 'button-secondary'].map((style) => ({ title: style, style, to: { kind: 'url', url: 'https://example.com/' }, links: [] }));
    const { page } = await open(`${dressed.url}/blocks/tables`, { reducedMotion: 'reduce' });
    for (const [name, look] of Object.entries(looks)) {
      const changed = look(plain.styling);
      await team.call('PUT', `${dressed.target}/customization`, { ...plain, ...changed, header: { preset: 'default', ...changed.header, links } });
      for (const theme of themes) {
        await page.evaluate((chosen) => localStorage.setItem('octavo-theme', chosen), theme);
        await page.reload();
        assert.deepEqual(await grave(page), [], `${name}, ${theme}`);
        await page.screenshot({ path: path.join(pictures, `look-${name}-${theme}.png`) });
      }
    }
  });

  test('is as wide as any window', async () => {
    const { page } = await open('/blocks');
    for (const width of [320, 390, 640, 768, 960, 961, 1024, 1200, 1201, 1440, 1920]) {
      for (const location of ['/blocks', '/blocks/tables', '/reference/api', '/octavo/use/apis/operations']) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(at(location));
        assert.equal(await sideways(page), 0, `${location} at ${width}`);
      }
    }
  });

  test('has no dead link but those that are broken in the source', async (context) => {
    const { pages, checked, dead } = await crawl(site.url);
    const known = [];
    for (const space of Object.values(spaces)) {
      const { items } = await team.call('GET', `/spaces/${space}/links?status=broken&limit=1000`);
      known.push(...items);
    }
    const unknown = dead.filter(({ on, address }) => !known.some((link) => isSame(link, on, address)));
    assert.deepEqual(unknown, []);
    const documents = await Promise.all(Object.values(spaces).map(async (space) => count((await team.call('GET', `/spaces/${space}/content/pages`)).pages)));
    assert.ok(pages.length >= documents.reduce((sum, each) => sum + each), 'every page is reached');
    context.diagnostic(`${pages.length} pages, ${checked} addresses, ${dead.length} anchors that are broken in the source`);
  });

  // Whether a broken link of the report is the one on a page to an anchor.
  function isSame({ targetReference, locationReferences }, on, address) {
    return targetReference.url.endsWith(decodeURIComponent(new URL(address).hash))
      && locationReferences.some(({ page }) => new URL(on).pathname.endsWith(`/${page?.path}`));
  }

  function isMissing(location) {
    return location === '/old/tables' || location === 'none';
  }
});

// How far a page can be scrolled sideways.
function sideways(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

// What keeps people with disabilities from reading a page.
async function grave(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(describeViolation);
}

function describeViolation({ id, nodes }) {
  return `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).slice(0, 5).join('\n')}`;
}

// Pages that can be read, in a list of pages.
function count(pages) {
  return pages.reduce((sum, { type, hidden, pages: below = [] }) => sum + (type === 'document' && !hidden ? 1 : 0) + count(below), 0);
}

// A token that visitors bring along, signed with the key of a site.
function sign(claims, key) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

// Another host, which has a logo.
async function serveLogo() {
  const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 32" width="120" height="32"><rect width="120" height="32" rx="6" fill="#2f6f9f"/><text x="60" y="22" font-family="sans-serif" font-size="16" text-anchor="middle" fill="#fff">Harbour</text></svg>';
  const host = createServer((request, response) => response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(logo)).listen(0, '127.0.0.1');
  await once(host, 'listening');
  return { url: `http://127.0.0.1:${host.address().port}`, close: () => { host.close(); host.closeAllConnections(); } };
}
