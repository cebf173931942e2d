package search

// Folded function words, which carry grammar but no content.
const (
	englishWords = `a about all am an and any are as at be been being but by can cant could did do does doesnt dont
		for from get had has have he her here him his how i if in into is isnt it its like many may me might mine much must my no
		not of off on or our out please s shall she should so some than that the their them then there these they this
		those through to too up us want wants was we were what when where which who whom whose why will with would you your`

	frenchWords = `a ai as au aucun aucune aux avec avez avoir avons c ca car ce cela ces cet cette ceux ci combien comme
		comment d dans de des donc dont du elle elles en es est et etait etaient ete etes etre eux faire fait fut ici il
		ils j je jusqu l la laquelle le lequel les leur leurs lorsqu lui m ma mais me meme mes moi mon n ne nos notre
		nous on ont ou par pas peut peuvent peux plus pour pourquoi puis puisqu puisse qu quand que quel quelle quelles
		quels qui quoi s sa sans se serait ses si soit son sont sous suis sur t ta te tes toi ton tous tout toute toutes
		tu un une va veut veux voudrais vos votre vous y`

	spanishWords = `a al algo algun alguna alguno ante antes aqui asi aun cada como con cual cuales cuando cuanta cuantas
		cuanto cuantos de del desde donde e el ella ellas ellos en era es esa esas ese eso esos esta estan estar estas
		este esto estos ha hacer han hasta hay he la las le les lo los mas me mi mis muy nada ni no nos nosotros nuestra
		nuestras nuestro nuestros o os para pero poder podria por porque pueda puede pueden puedo que quien quienes
		quiere quiero se sea ser si sin sobre son su sus tal tan te ti tiene tienen todo todos tu tus u un una unas uno
		unos usted ustedes va y ya yo`

	germanWords = `aber alle als am an auch auf aus bei bin bis da damit das dass dein deine dem den denn der des dich
		die dies diese diesem diesen dieser dieses dir doch du durch ein eine einem einen einer eines er es euch euer
		fur gegen gibt hat hatte habe haben hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ist ja kann kein
		keine konnen konnte man mehr mein meine meinem meinen meiner meines mich mir mit mochte muss nach nicht noch nur
		ob oder ohne sein seine sich sie sind so soll sollte uber um und uns unser unsere unter vom von vor wann war
		waren warum was weil welche welchem welchen welcher welches wem wen wenn wer werde werden wie wieso wir wird wo
		wurde wurden zu zum zur`

	italianWords = `a ad agli ai al alla alle allo anche c che chi ci come con cosa cui d da dagli dai dal dall dalla
		dalle dallo dei degli del dell della delle dello di dove e ed era gli ha hanno ho i il in io l la le lei lo loro
		lui ma me mi mia mie miei mio ne negli nei nel nell nella nelle nello noi non nostra nostro o per perche piu
		posso possono puo qual quale quali quando quanta quante quanti quanto quella quelle quelli quello quest questa
		queste questi questo qui se senza si sia sono su sua sue sugli sui sul sull sulla sulle sullo suo suoi ti tra tu
		tua tue tuo tuoi un una uno vi voglio voi vostra vostro`

	portugueseWords = `a ao aos as com como da das de dela dele delas deles do dos e ela elas ele eles em entre era essa
		essas esse esses esta estao estas este estes eu foi ha isso isto ja la lhe mais mas me mesmo meu meus minha
		minhas muito na nao nas nem no nos nossa nossas nosso nossos o onde os ou para pela pelas pelo pelos pode podem
		por porque posso qual quais quando quanta quantas quanto quantos que quem quero sao se seja sem ser seu seus so
		sua suas tem te teu tua um uma uns umas voce voces`

	dutchWords = `aan al alle als ben bij dan dat de deze die dit doe doen door dus een en er haar had heb hebben heeft
		hem hen het hier hij hoe hoelang hoeveel hun ik in is je jij jou jouw jullie kan kon kunnen maar me meer men met
		mij mijn moet na naar niet nog nu of om ons onze ook op over te tegen tot u uit uw van veel voor waar waarom wat
		wel welk welke werd wie wil worden wordt ze zich zij zijn zo zonder zou`

	// Japanese endings, particles and question words written in kana.
	japaneseEndings = `ます ました ません ましょう です でした でしょう ですか ますか だった であ される された されて され
		られる られた られて られ れる する した して します しない したい しま たい たく ない なく なか いる いた いて いない
		ある あり あれば こと もの ため ように ような よう ください くださ から まで より ので のに には では とは への での との
		にも でも ても だけ など ほど どこ いつ なぜ どう どの どれ どんな どのくらい どれくらい だれ なに なん いくつ これ それ
		あれ この その あの ここ そこ わたし できる できま でき いい よい えば れば なら もらう もらい もらえ もら おり おく るか たか のか
		ところ とき という といった って たら について における による により ぐらい くらい`

	// Japanese particles of one kana.
	japaneseParticles = "はがをにでとのへ"

	// Chinese characters that are function words or parts of them.
	japaneseFunctionChars = "私誰何僕俺"
	chineseFunctionChars  = "的了吗嗎呢吧是我你您他她它们們谁誰什么麼怎哪这這那"
)
