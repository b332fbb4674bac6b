package reader

// words are what the frame of a page says in one language.
type words struct {
	SkipToContent, Announcement, Search, Links, ToggleTheme, Sections, Navigation, Variant, Pages                     string
	OnThisPage, PrivacyPolicy, Close, Results, NothingFound, Breadcrumbs, Pagination, Previous, Next                  string
	LastUpdated, EditOnGit, MoreResults, NotFound, NotFoundExplained, Suggestions, Home, CopyPage, ViewMarkdown, Copy string
}

// languages are those of the customization's locales.
var languages = map[string]words{
	"en": {
		"Skip to the content", "Announcement", "Search", "Links", "Change colours", "Sections", "Contents", "Variant", "Pages",
		"On this page", "Privacy policy", "Close", "Results", "Nothing found", "You are here", "Neighbouring pages", "Previous", "Next",
		"Last updated", "Edit this page", "More results", "Page not found", "There is no page at this address.", "Perhaps you are looking for", "To the first page", "Copy page", "View as Markdown", "Copy",
	},
	"de": {
		"Zum Inhalt", "Mitteilung", "Suchen", "Verweise", "Farben wechseln", "Bereiche", "Inhalt", "Variante", "Seiten",
		"Auf dieser Seite", "Datenschutz", "Schließen", "Ergebnisse", "Nichts gefunden", "Sie sind hier", "Benachbarte Seiten", "Zurück", "Weiter",
		"Zuletzt geändert", "Seite bearbeiten", "Weitere Ergebnisse", "Seite nicht gefunden", "An dieser Adresse gibt es keine Seite.", "Vielleicht suchen Sie", "Zur ersten Seite", "Seite kopieren", "Als Markdown ansehen", "Kopieren",
	},
	"fr": {
		"Aller au contenu", "Annonce", "Rechercher", "Liens", "Changer les couleurs", "Sections", "Sommaire", "Variante", "Pages",
		"Sur cette page", "Confidentialité", "Fermer", "Résultats", "Aucun résultat", "Vous êtes ici", "Pages voisines", "Précédent", "Suivant",
		"Dernière mise à jour", "Modifier cette page", "Plus de résultats", "Page introuvable", "Il n’y a pas de page à cette adresse.", "Vous cherchez peut-être", "Vers la première page", "Copier la page", "Voir en Markdown", "Copier",
	},
	"es": {
		"Ir al contenido", "Anuncio", "Buscar", "Enlaces", "Cambiar colores", "Secciones", "Contenido", "Variante", "Páginas",
		"En esta página", "Privacidad", "Cerrar", "Resultados", "Sin resultados", "Está aquí", "Páginas vecinas", "Anterior", "Siguiente",
		"Última actualización", "Editar esta página", "Más resultados", "Página no encontrada", "No hay ninguna página en esta dirección.", "Quizá busca", "A la primera página", "Copiar página", "Ver como Markdown", "Copiar",
	},
	"nl": {
		"Naar de inhoud", "Mededeling", "Zoeken", "Links", "Kleuren wisselen", "Secties", "Inhoud", "Variant", "Pagina’s",
		"Op deze pagina", "Privacy", "Sluiten", "Resultaten", "Niets gevonden", "U bent hier", "Aangrenzende pagina’s", "Vorige", "Volgende",
		"Laatst bijgewerkt", "Deze pagina bewerken", "Meer resultaten", "Pagina niet gevonden", "Er is geen pagina op dit adres.", "Misschien zoekt u", "Naar de eerste pagina", "Pagina kopiëren", "Als Markdown bekijken", "Kopiëren",
	},
	"no": {
		"Til innholdet", "Kunngjøring", "Søk", "Lenker", "Bytt farger", "Seksjoner", "Innhold", "Variant", "Sider",
		"På denne siden", "Personvern", "Lukk", "Resultater", "Ingen treff", "Du er her", "Nabosider", "Forrige", "Neste",
		"Sist oppdatert", "Rediger denne siden", "Flere resultater", "Siden finnes ikke", "Det er ingen side på denne adressen.", "Kanskje du leter etter", "Til første side", "Kopier siden", "Vis som Markdown", "Kopier",
	},
	"pt-br": {
		"Ir para o conteúdo", "Aviso", "Buscar", "Links", "Mudar cores", "Seções", "Conteúdo", "Variante", "Páginas",
		"Nesta página", "Privacidade", "Fechar", "Resultados", "Nada encontrado", "Você está aqui", "Páginas vizinhas", "Anterior", "Próxima",
		"Última atualização", "Editar esta página", "Mais resultados", "Página não encontrada", "Não há nenhuma página neste endereço.", "Talvez você procure", "Para a primeira página", "Copiar página", "Ver como Markdown", "Copiar",
	},
	"ru": {
		"К содержанию", "Объявление", "Поиск", "Ссылки", "Сменить цвета", "Разделы", "Содержание", "Вариант", "Страницы",
		"На этой странице", "Конфиденциальность", "Закрыть", "Результаты", "Ничего не найдено", "Вы здесь", "Соседние страницы", "Назад", "Далее",
		"Обновлено", "Изменить страницу", "Ещё результаты", "Страница не найдена", "По этому адресу нет страницы.", "Возможно, вы ищете", "На первую страницу", "Копировать страницу", "Показать Markdown", "Копировать",
	},
	"zh": {
		"跳到正文", "公告", "搜索", "链接", "切换颜色", "分区", "目录", "版本", "页面",
		"本页内容", "隐私政策", "关闭", "结果", "没有找到", "当前位置", "相邻页面", "上一页", "下一页",
		"最后更新", "编辑此页", "更多结果", "找不到页面", "此地址没有页面。", "您可能在找", "回到首页", "复制页面", "查看 Markdown", "复制",
	},
	"ja": {
		"本文へ", "お知らせ", "検索", "リンク", "配色を切り替える", "セクション", "目次", "バリアント", "ページ",
		"このページの内容", "プライバシー", "閉じる", "結果", "見つかりません", "現在の場所", "前後のページ", "前へ", "次へ",
		"最終更新", "このページを編集", "さらに表示", "ページが見つかりません", "このアドレスにページはありません。", "お探しのページ", "最初のページへ", "ページをコピー", "Markdown で見る", "コピー",
	},
}

func wordsOf(locale string) words {
	if found, known := languages[locale]; known {
		return found
	}
	return languages["en"]
}
